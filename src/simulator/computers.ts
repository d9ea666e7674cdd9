/** The computers of a simulated organization and their state over time (platform-api.md §2.1, §3). */
import type { Clock } from '../model/clock.ts';
import type { Day } from '../model/day.ts';
import type { Computer, CreateComputer, UpdateComputer } from '../model/platform/computers.ts';
import { uuidOf } from './identifiers.ts';
import { type OpenPoints, openPointsOf } from './open-points.ts';
import { beginProvisioning, type Provisioning, statusAt, stepsAt } from './provisioning.ts';
import { hash } from './random.ts';
import { timeIn } from './time-unit.ts';

/** The second provider, whose name the documentation does not give. */
export const otherProvider = 'sandbox';

interface StoredComputer {
  readonly fixed: Pick<Computer, 'id' | 'providerType' | 'ownerPrincipalKind' | 'ownerId' | 'computerSource'>;
  readonly repos: readonly string[];
  changing: UpdateComputer & { name: string };
  provisioning: Provisioning;
}

export interface ComputersOptions {
  readonly seed: number;
  readonly clock: Clock;
  readonly points?: OpenPoints;
}

const salts = { created: 71, fails: 72, host: 73 } as const;
const seededComputers = 12;
const millisecondsPerDay = 86_400_000;

export class Computers {
  readonly #computers = new Map<string, StoredComputer>();
  readonly #seed: number;
  readonly #clock: Clock;
  readonly #points: OpenPoints;
  #made = 0;

  /** Creates an organization without computers. */
  constructor({ seed, clock, points = openPointsOf() }: ComputersOptions) {
    this.#seed = seed;
    this.#clock = clock;
    this.#points = points;
  }

  /** All computers that exist now. */
  list(withSteps: boolean): Computer[] {
    const now = this.#clock();
    return Array.from(this.#computers.values())
      .filter(({ provisioning }) => provisioning.begunAt <= now)
      .map((kept) => this.#asAnswered(kept, now, withSteps));
  }

  /** The computer with this id, and its steps; undefined if there is none. */
  find(id: string): Computer | undefined {
    return this.list(true).find((computer) => computer.id === id);
  }

  /** The computer with this name; if several have it, the one that was created last. */
  findByName(name: string): Computer | undefined {
    return this.list(true).findLast((computer) => computer.name === name);
  }

  /** Creates a computer now, or at the time `at`, which may be in the future. */
  create(body: CreateComputer, at = this.#clock()): Computer {
    const number = this.#made++;
    const id = `computer_${String(number + 1).padStart(6, '0')}`;
    const choice = this.#points['new-computers'];
    const fails = choice === 'mixed' ? hash(this.#seed, salts.fails, number) % 4 === 1 : choice === 'error';
    const { name, hostId, remoteUser } = body;
    const kept: StoredComputer = {
      fixed: {
        id,
        providerType: body.provider ?? otherProvider,
        ownerPrincipalKind: body.serviceAccountId === undefined ? 'user' : 'service-account',
        ownerId: body.serviceAccountId ?? 'user_000000001',
        ...(body.source && { computerSource: body.source }),
      },
      repos: body.repos ?? [],
      changing: { name, hostId, remoteUser },
      provisioning: beginProvisioning(id, {
        begunAt: at,
        duration: this.#points['provisioning-ms'],
        fails,
      }),
    };
    this.#computers.set(id, kept);
    return this.#asAnswered(kept, at, true);
  }

  /** Changes the fields that are in the body; undefined if there is no computer with this id. */
  update(id: string, body: UpdateComputer): Computer | undefined {
    const kept = this.#computers.get(id);
    if (kept === undefined || this.find(id) === undefined) return undefined;
    const { name, hostId, remoteUser } = kept.changing;
    kept.changing = {
      name: body.name ?? name,
      hostId: body.hostId ?? hostId,
      remoteUser: body.remoteUser ?? remoteUser,
    };
    return this.find(id);
  }

  /** Runs the install step again. It succeeds, unless the choice for `new-computers` is `error`. */
  installAgain(id: string): Computer | undefined {
    const [kept, before] = [this.#computers.get(id), this.find(id)];
    if (kept === undefined || before === undefined) return undefined;
    const fails = this.#points['new-computers'] === 'error';
    kept.provisioning = { ...kept.provisioning, installBegunAt: this.#clock(), fails };
    return this.#points['install-deps'] === 'unchanged' ? before : this.find(id);
  }

  /** Removes a computer. For tests: the platform has no operation that removes one. */
  remove(id: string): void {
    this.#computers.delete(id);
  }

  #asAnswered(
    { fixed, repos, changing, provisioning }: StoredComputer,
    now: number,
    withSteps: boolean,
  ): Computer {
    const status = statusAt(provisioning, now);
    const { id, ...rest } = fixed;
    const time = (milliseconds: number | undefined) => timeIn(this.#points, milliseconds);
    return {
      id,
      ...changing,
      ...rest,
      createdAt: timeIn(this.#points, provisioning.begunAt),
      status,
      ...(status === 'active' && {
        hostname: `${id.replace('_', '-')}.example.com`,
        relayClientUrl: `wss://relay.example.com/client/${id}`,
        relayAgentUrl: `wss://relay.example.com/agent/${id}`,
      }),
      ...(repos.length > 0 && {
        clonedRepoDirectories: repos.map((_, index) => `/workspace/repository-${index + 1}`),
      }),
      ...(withSteps && {
        provisioningSteps: stepsAt(provisioning, now).map((step) => ({
          ...step,
          startedAt: time(step.startedAt),
          completedAt: time(step.completedAt),
        })),
      }),
    };
  }
}

/** Computers made from a seed; they are created one by one in the weeks after the organization's first day. */
export function computersOf(options: ComputersOptions, from: Day): Computers {
  const computers = new Computers(options);
  const { seed } = options;
  const begin = Date.parse(`${from}T09:00:00Z`);
  for (let number = 0; number < seededComputers; number++) {
    const isOwnMachine = number % 5 === 4;
    computers.create(
      {
        name: `build-${String(number + 1).padStart(2, '0')}`,
        provider: isOwnMachine ? 'byom' : otherProvider,
        ...(isOwnMachine && { hostId: uuidOf(seed, salts.host, number), remoteUser: 'agent' }),
        repos: Array.from(
          { length: number % 4 },
          (_, index) => `https://git.example.com/acme/repository-${index}`,
        ),
        ...(number % 3 === 0 && { source: { kind: 'template', templateId: `template_${number % 2}` } }),
      },
      begin + number * 4 * millisecondsPerDay + (hash(seed, salts.created, number) % millisecondsPerDay),
    );
  }
  return computers;
}
