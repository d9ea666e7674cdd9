/** Several organizations on platforms of their own, one warehouse, and the file that names them. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { day } from '../../src/model/day.ts';
import { Computers } from '../../src/simulator/computers.ts';
import { generatedDataset } from '../../src/simulator/dataset.ts';
import { createGenerator } from '../../src/simulator/generate.ts';
import { openPointsOf } from '../../src/simulator/open-points.ts';
import { type Simulator, startSimulator } from '../../src/simulator/server.ts';
import { sessionsOf } from '../../src/simulator/sessions.ts';
import { UserLimits } from '../../src/simulator/user-limits.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type Ended, programFile, startProgram } from './program.ts';

/** An organization of the file. */
export interface TestOrganization {
  readonly name: string;
  readonly id: string;
  readonly key: string;
  readonly simulator: Simulator;
}

/** The organizations, and the program set up for them. */
export interface Organizations {
  readonly all: readonly TestOrganization[];
  readonly database: TestDatabase;
  /** The folder of the file. */
  readonly folder: string;
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Writes the file: an entry for each organization, and these lines below. */
  write(more?: string): Promise<void>;
  /** Loads days of one organization. */
  load(name: string, from: string, to: string): Promise<void>;
  run(commandLine: string, environment?: Readonly<Record<string, string>>): Promise<Ended>;
  /** Runs a command with `--json`, and returns its object. */
  json(commandLine: string): Promise<{ readonly code: number | null; readonly object: unknown }>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Sets up organizations with these names. Nothing is loaded. */
export async function installOrganizations(names: readonly string[], users = 5): Promise<Organizations> {
  const [folder, database] = await Promise.all([
    mkdtemp(join(tmpdir(), 'usage-etl-organizations-')),
    createTestDatabase(),
  ]);
  await mkdir(join(folder, 'keys'));
  const all = await Promise.all(names.map((name, index) => startOrganization(name, index + 1, users)));
  for (const { name, key } of all)
    await writeFile(join(folder, 'keys', `${name}.key`), `${key}\n`, { mode: 0o600 });
  const file = join(folder, 'organizations.yaml');
  const write = (more = '') =>
    writeFile(
      file,
      `${all
        .map(
          ({ name, simulator }) =>
            `- name: ${name}\n  api_base_url: ${simulator.url}\n  api_key_file: keys/${name}.key\n`,
        )
        .join('')}${more}`,
    );
  await write();
  const environment = {
    DATABASE_URL: database.url,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
    ORGANIZATIONS_FILE: file,
  };
  const run = (commandLine: string, more: Readonly<Record<string, string>> = {}) =>
    startProgram(programFile, commandLine.split(' '), { ...environment, ...more }).ended;
  return {
    all,
    database,
    folder,
    file,
    environment,
    write,
    run,
    async load(name, from, to) {
      const { code, stderr } = await run(`backfill --from ${from} --to ${to} --organization ${name}`);
      if (code !== 0) throw new Error(`expected ${name} to be loaded, got ${code}: ${stderr}`);
    },
    async json(commandLine) {
      const { code, stdout, stderr } = await run(`${commandLine} --json`);
      try {
        return { code, object: JSON.parse(stdout) };
      } catch (cause) {
        throw new Error(`expected JSON, got ${stdout}\n${stderr}`, { cause });
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(({ simulator }) => simulator.close()));
      await database.drop();
      await rm(folder, { recursive: true });
    },
  };
}

/** The organization with a name. */
export function organizationOf(all: readonly TestOrganization[], name: string): TestOrganization {
  const found = all.find((each) => each.name === name);
  if (found === undefined) throw new RangeError(`expected one of the organizations, got ${name}`);
  return found;
}

async function startOrganization(name: string, seed: number, users: number): Promise<TestOrganization> {
  const [id, key] = [`org_${name}`, `key-of-${name}-4711`];
  const from = day('2026-01-14');
  const simulator = await startSimulator({
    dataset: generatedDataset(createGenerator({ seed, users, from })),
    organizationId: id,
    apiKeys: { [key]: 'owner' },
    computers: new Computers({ seed, clock: Date.now, points: openPointsOf({}) }),
    sessions: sessionsOf({ seed, clock: Date.now }, from),
    limits: new UserLimits(() => true),
  });
  return { name, id, key, simulator };
}
