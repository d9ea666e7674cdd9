/** Several simulated platforms, a migrated database, and a file of organizations for both. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { day, daysOf } from '../../src/model/day.ts';
import { generatedDataset, OverridableDataset } from '../../src/simulator/dataset.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { type SimulatedRequest, type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { type CommandChanges, commandInProcess } from './commands-in-process.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import {
  expectedWarehouse,
  type Payload,
  sortedRows,
  tableNames,
  type Warehouse,
} from './expected-warehouse.ts';
import { endpoints, servedRows } from './installation.ts';
import { withBusyWeekends } from './nights.ts';
import { hurriedProgramFile, type Started, startProgram } from './program.ts';
import { storedWarehouse } from './stored-warehouse.ts';

/** An organization of the file, and its platform. */
export interface OrganizationOptions {
  /** What its platform does wrong; it may change. */
  fault?: ((request: SimulatedRequest) => Fault | undefined) | undefined;
  /** Its key is in no file. */
  readonly hasNoKey?: boolean;
  /** The key in its file, if it is not the right one. */
  readonly key?: string;
  /** It has platform and key of another one. */
  readonly like?: string;
  /** More fields of its entry. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

const part = z.looseObject({
  name: z.string(),
  org_id: z.string().nullable(),
  exit_code: z.number(),
  run_id: z.number().nullable(),
  status: z.string(),
  slices: z.record(z.string(), z.number()),
  rows: z.record(z.string(), z.number()),
  requests: z.record(z.string(), z.number()),
  duration_ms: z.number(),
  error: z.string().optional(),
});

/** The JSON of a command over several organizations. */
const output = z.looseObject({
  status: z.string(),
  slices: z.record(z.string(), z.number()),
  rows: z.record(z.string(), z.number()),
  requests: z.record(z.string(), z.number()),
  duration_ms: z.number(),
  error: z.string().optional(),
  organizations: z.array(part),
});

/** How a command over several organizations ended. */
export interface EndedForMany {
  readonly code: number;
  readonly error: string | undefined;
  readonly json: z.infer<typeof output>;
  /** Exit codes by name. */
  readonly codes: Readonly<Record<string, number>>;
  /** The part of an organization. */
  readonly of: (name: string) => z.infer<typeof part> | undefined;
}

export interface ManyOrganizations {
  readonly database: TestDatabase;
  readonly environment: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly simulators: ReadonlyMap<string, Simulator>;
  readonly datasets: ReadonlyMap<string, OverridableDataset>;
  run(commandLine: string, changes?: CommandChanges): Promise<EndedForMany>;
  start(commandLine: string, environment?: Readonly<Record<string, string>>): Started;
  /** What the warehouse must hold of these organizations, if it holds these days of them. */
  expected(names: readonly string[], from: string, to: string): Warehouse;
  stored(): Promise<Warehouse>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** The id that the platform of an organization answers with. */
export const idOf = (name: string) => `org_of_${name}`;
export const keyOf = (name: string) => `key-of-${name}-4711`;

/** Reads the output of a command over several organizations. */
export function outputOf(code: number, json: unknown, error?: string): EndedForMany {
  const parsed = output.parse(json);
  return {
    code,
    error,
    json: parsed,
    codes: Object.fromEntries(parsed.organizations.map(({ name, exit_code }) => [name, exit_code])),
    of: (name) => parsed.organizations.find((each) => each.name === name),
  };
}

/** Sets everything up; dispose of it in the end. */
export async function installMany(
  organizations: Readonly<Record<string, OrganizationOptions>>,
  more: Readonly<Record<string, string>> = {},
): Promise<ManyOrganizations> {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-many-'));
  const database = await createTestDatabase();
  const simulators = new Map<string, Simulator>();
  const datasets = new Map<string, OverridableDataset>();
  const own = Object.entries(organizations).filter(([, { like }]) => like === undefined);
  await Promise.all(
    own.map(async ([name, options], index) => {
      const generator = createGenerator({ seed: 7 + index, users: 4, from: day('2026-01-14') });
      const dataset = new OverridableDataset(withBusyWeekends(generatedDataset(generator)));
      datasets.set(name, dataset);
      const simulator = await startSimulator({
        dataset,
        organizationId: idOf(name),
        apiKeys: { [keyOf(name)]: 'owner' },
        fault: (request) =>
          request.path.includes('/analytics/') ? options.fault?.(request) : { kind: 'status', status: 404 },
      });
      simulators.set(name, simulator);
    }),
  );
  const entries = await Promise.all(
    Object.entries(organizations).map(async ([name, { hasNoKey, key, like = name, fields }]) => {
      const file = `${name}.key`;
      if (hasNoKey !== true) await writeFile(join(folder, file), `${key ?? keyOf(like)}\n`);
      return { name, api_base_url: simulators.get(like)?.url, api_key_file: file, ...fields };
    }),
  );
  // JSON is YAML.
  await writeFile(join(folder, 'organizations.yaml'), JSON.stringify(entries, null, 1));
  const environment = {
    ORGANIZATIONS_FILE: join(folder, 'organizations.yaml'),
    DATABASE_URL: database.url,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
    LOOKBACK_DAYS: '0',
    ...more,
  };
  return {
    database,
    environment,
    folder,
    simulators,
    datasets,
    async run(commandLine, changes) {
      const { code, json, error } = await commandInProcess({ environment }, commandLine, changes);
      return outputOf(code, json, error);
    },
    start: (commandLine, changes = {}) =>
      startProgram(hurriedProgramFile, commandLine.split(' '), { ...environment, ...changes }),
    expected(names, from, to) {
      const each = names.map((name) => {
        const dataset = datasets.get(name);
        if (dataset === undefined) throw new RangeError(`there is no platform of ${name}`);
        const payloads = daysOf({ from: day(from), to: day(to) }).flatMap((of) =>
          endpoints.map(
            (endpoint): Payload => ({ endpoint, day: of, rows: servedRows(dataset, endpoint, of) }),
          ),
        );
        return expectedWarehouse(idOf(name), payloads);
      });
      return Object.fromEntries(
        tableNames.map((table) => [table, sortedRows(each.flatMap((warehouse) => warehouse[table] ?? []))]),
      );
    },
    stored: () => storedWarehouse(database.pool),
    async [Symbol.asyncDispose]() {
      await Promise.all([...simulators.values()].map((simulator) => simulator.close()));
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}
