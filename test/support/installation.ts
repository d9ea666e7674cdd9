/** A simulated platform, a migrated database, and the program set up for both. */
import { afterAll } from 'vitest';
import { z } from 'zod';
import { type Day, day, daysOf } from '../../src/model/day.ts';
import { computerCalls } from '../../src/model/platform/computers.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import {
  type SimulatedRequest,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from '../../src/simulator/server.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import type { Payload } from './expected-warehouse.ts';
import { withBusyWeekends } from './nights.ts';
import { type Ended, hurriedProgramFile, programFile, type Started, startProgram } from './program.ts';

export const organization = 'org_test';
export const endpoints = ['tokens', 'tools', 'activity', 'productivity', 'users'] as const;
const ownerKey = 'owner-key-4711';

export interface InstallationOptions extends Partial<SimulatorOptions> {
  /** The file of the program; default: the built program. */
  readonly program?: string;
  /** Whether the program gives up soon on servers that do not answer (`impatientTiming`). */
  readonly hurries?: boolean;
  /** Whether there are many rows at weekends, too. */
  readonly busyWeekends?: boolean;
  /** Users of the generated organization; default 40. Without `computers` there is no such resource (404). */
  readonly users?: number;
}

export interface Installation {
  readonly dataset: OverridableDataset;
  readonly simulator: Simulator;
  readonly database: TestDatabase;
  /** Environment of `run`: requests are not repeated, and the rate budget is wide. */
  readonly environment: Readonly<Record<string, string>>;
  run(commandLine: string, environment?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Like `run`, with a working directory whose `.env` is read. */
  runIn(
    directory: string,
    commandLine: string,
    environment?: Readonly<Record<string, string>>,
  ): Promise<Ended>;
  start(commandLine: string, environment?: Readonly<Record<string, string>>): Started;
  /** Runs a command that prints a summary; throws when it prints none. */
  load(commandLine: string, environment?: Readonly<Record<string, string>>): Promise<Loaded>;
  /** What the platform serves at this moment for a range of days. */
  payloads(from: string, to: string): Payload[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The documented object that `nightly` and `backfill` print with `--json`. */
const summary = z.strictObject({
  run_id: z.number(),
  status: z.enum(['succeeded', 'partial', 'failed']),
  slices: z.strictObject({
    planned: z.number(),
    loaded: z.number(),
    unchanged: z.number(),
    empty: z.number(),
    pending: z.number(),
    refused: z.number(),
    failed: z.number(),
  }),
  // Present only if an answer was refused.
  refused: z
    .array(
      z.strictObject({
        endpoint: z.string(),
        slice_key: z.string(),
        table: z.string(),
        held: z.number(),
        would_hold: z.number(),
      }),
    )
    .min(1)
    .optional(),
  // Present only if the job asks the platform.
  sources: z
    .record(z.string(), z.enum(['loaded', 'unchanged', 'empty', 'failed', 'unavailable', 'off']))
    .optional(),
  rows: z.strictObject({
    read: z.number(),
    inserted: z.number(),
    updated: z.number(),
    deleted: z.number(),
    rejected: z.number(),
  }),
  requests: z.strictObject({ sent: z.number(), retried: z.number() }),
  // Present only if a user came with an e-mail that somebody asked to forget.
  forgotten: z.number().optional(),
  duration_ms: z.number(),
  // Present only if the exit code is not 0.
  error: z.string().optional(),
});

/** How a load ended, and the summary that it printed. */
export interface Loaded extends Ended {
  readonly summary: z.infer<typeof summary>;
}

/** Sets up platform, database and program; dispose of the installation after the test. */
export async function install(options: InstallationOptions = {}): Promise<Installation> {
  const {
    users = 40,
    hurries = false,
    busyWeekends = false,
    program = programFile,
    ...simulatorOptions
  } = options;
  const file = hurries ? hurriedProgramFile : program;
  /** Answers 404 for computers if the test gives none: then the figures of a run are those of analytics alone. */
  const withoutComputers = ({ path }: SimulatedRequest): Fault | undefined =>
    simulatorOptions.computers === undefined && path === computerCalls.list.path
      ? { kind: 'status', status: 404 }
      : undefined;
  const generator = createGenerator({ seed: 7, users, from: day('2026-01-14') });
  const generated = generatedDataset(generator);
  const dataset = new OverridableDataset(busyWeekends ? withBusyWeekends(generated) : generated);
  const [simulator, database] = await Promise.all([
    startSimulator({
      dataset,
      organizationId: organization,
      apiKeys: { [ownerKey]: 'owner', 'member-key': 'member' },
      ...simulatorOptions,
      fault: (request) => withoutComputers(request) ?? simulatorOptions.fault?.(request),
    }),
    createTestDatabase(),
  ]);
  const environment = {
    API_BASE_URL: simulator.url,
    API_KEY: ownerKey,
    DATABASE_URL: database.url,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
  };
  const start = (commandLine: string, more: Readonly<Record<string, string>> = {}) =>
    startProgram(file, commandLine.split(' '), { ...environment, ...more });
  const run = (commandLine: string, more?: Readonly<Record<string, string>>) =>
    start(commandLine, more).ended;
  return {
    dataset,
    simulator,
    database,
    environment,
    start,
    run,
    runIn: (directory, commandLine, more = {}) =>
      startProgram(file, commandLine.split(' '), { ...environment, ...more }, directory).ended,
    async load(commandLine, more) {
      const ended = await run(`${commandLine} --json`, more);
      try {
        return { ...ended, summary: summary.parse(JSON.parse(ended.stdout)) };
      } catch (cause) {
        throw new Error(`expected a summary, got ${ended.stdout}\n${ended.stderr}`, { cause });
      }
    },
    payloads: (from, to) =>
      daysOf({ from: day(from), to: day(to) }).flatMap((each) =>
        endpoints.map((endpoint) => ({ endpoint, day: each, rows: servedRows(dataset, endpoint, each) })),
      ),
    async [Symbol.asyncDispose]() {
      await simulator.close();
      await database.drop();
    },
  };
}

/** An installation for all tests of the file that calls this. It is disposed of after them. */
export async function sharedInstallation(options?: InstallationOptions): Promise<Installation> {
  const installation = await install(options);
  afterAll(() => installation[Symbol.asyncDispose]());
  return installation;
}

/** The rows of one day in the order in which the platform serves them. */
export function servedRows(dataset: OverridableDataset, endpoint: string, of: Day): readonly unknown[] {
  return endpoint === 'users' ? [...dataset.usersAfter(of, undefined)] : dataset.rows(endpoint, of);
}
