/** Several organizations of one ORGANIZATIONS_FILE: a simulated platform for each, and one warehouse with a queue. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { day } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { type SimulatedRequest, type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { withBusyWeekends } from './nights.ts';
import { type Ended, hurriedProgramFile, programFile, type Started, startProgram } from './program.ts';

/** One organization: `acme-0`, `acme-1` and so on. */
export interface InstalledOrganization {
  readonly name: string;
  readonly organizationId: string;
  readonly simulator: Simulator;
  readonly dataset: OverridableDataset;
  /** Replace it to let requests fail, or to see them. */
  fault: (request: SimulatedRequest) => Fault | undefined;
}

/** A job of the queue, as the library's view shows it. */
export interface QueuedJob {
  readonly key: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly is_running: boolean;
  readonly in_seconds: number;
}

export interface Organizations {
  readonly all: readonly InstalledOrganization[];
  readonly database: TestDatabase;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Writes a file with these organizations, and returns its path. */
  writeFile(name: string, of: readonly InstalledOrganization[]): Promise<string>;
  start(commandLine: string, environment?: Readonly<Record<string, string>>): Started;
  run(commandLine: string, environment?: Readonly<Record<string, string>>): Promise<Ended>;
  /** What `enqueue … --json` prints. */
  order(commandLine: string, environment?: Readonly<Record<string, string>>): Promise<unknown>;
  /** Starts a worker; resolves when it takes jobs. */
  work(environment?: Readonly<Record<string, string>>): Promise<Started>;
  /** All jobs in the queue, in the order of their keys. */
  jobs(): Promise<QueuedJob[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface QueueOptions {
  /** Users of each organization. */
  readonly users?: number;
  /** The program gives up soon on servers that do not answer. */
  readonly hurries?: boolean;
  /** Another database, which is migrated; default one of the tests' server. */
  readonly url?: string;
}

/** Sets everything up; dispose of it in the end. */
export async function installOrganizations(
  count: number,
  { users = 5, hurries = false, url }: QueueOptions = {},
): Promise<Organizations> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-organizations-'));
  const database = await createTestDatabase();
  const databaseUrl = url ?? database.url;
  await migrate(databaseUrl, { queue: 'needed' });
  const all = await Promise.all(Array.from({ length: count }, (_, index) => installOne(index, users)));
  const file = hurries ? hurriedProgramFile : programFile;
  const started: Started[] = [];
  const writeOrganizations = async (name: string, of: readonly InstalledOrganization[]) => {
    const path = join(folder, name);
    const entries = of.map(
      ({ name: organization, simulator }) =>
        `- name: ${organization}\n  api_base_url: ${simulator.url}\n  api_key_env: KEY_OF_ALL\n`,
    );
    await writeFile(path, entries.join(''), { mode: 0o600 });
    return path;
  };
  const environment = {
    DATABASE_URL: databaseUrl,
    ORGANIZATIONS_FILE: await writeOrganizations('organizations.yaml', all),
    KEY_OF_ALL: 'owner-key-4711',
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
    DATA_DIR: join(folder, 'data'),
  };
  const start = (commandLine: string, more: Readonly<Record<string, string>> = {}) => {
    const one = startProgram(file, commandLine.split(' '), { ...environment, ...more });
    started.push(one);
    return one;
  };
  return {
    all,
    database,
    folder,
    environment,
    writeFile: writeOrganizations,
    start,
    run: (commandLine, more) => start(commandLine, more).ended,
    async order(commandLine, more) {
      const { code, stdout, stderr } = await start(`enqueue ${commandLine} --json`, more).ended;
      if (code !== 0) throw new Error(`expected an order, got exit code ${code}:\n${stderr}`);
      return JSON.parse(stdout);
    },
    async work(more) {
      const worker = start('worker', more);
      await worker.says('taking jobs from the queue');
      return worker;
    },
    async jobs() {
      const { rows } = await database.pool.query<QueuedJob>(
        `select key, attempts, last_error, locked_at is not null as is_running,
          extract(epoch from run_at - now())::float8 as in_seconds
        from etl_queue.jobs order by key`,
      );
      return rows;
    },
    async [Symbol.asyncDispose]() {
      for (const { process: child } of started) child.kill('SIGKILL');
      await Promise.all(started.map(({ ended }) => ended));
      await Promise.all(all.map(({ simulator }) => simulator.close()));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function installOne(index: number, users: number): Promise<InstalledOrganization> {
  const generator = createGenerator({ seed: index + 1, users, from: day('2026-01-14') });
  const dataset = new OverridableDataset(withBusyWeekends(generatedDataset(generator)));
  const organizationId = `org_${index}`;
  const organization: { fault: InstalledOrganization['fault'] } = { fault: () => undefined };
  const simulator = await startSimulator({
    dataset,
    organizationId,
    apiKeys: { 'owner-key-4711': 'owner' },
    fault: (request) => organization.fault(request),
  });
  return Object.assign(organization, { name: `acme-${index}`, organizationId, simulator, dataset });
}
