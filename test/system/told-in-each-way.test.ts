/** What a first user and somebody who was woken at night read: on terminals, in a pipe and with `--json`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { farSchedule } from '../support/nights.ts';
import { programFile } from '../support/program.ts';
import { ctrlC, hasTerminal, linesShown, startInTerminal } from '../support/terminal.ts';
import { type Seen, seenInEachWay } from '../support/ways-to-see.ts';

const unavailable: Fault = { kind: 'status', status: 503 };
const noZeros = /^ {2}rows +0|\b0 read|0 planned/m;
const key = 'a-key-that-is-refused-4711';

/** Paths that answer 503. */
let failing: RegExp | undefined;
let installation: Installation;
let empty: TestDatabase;
let folder: string;

beforeAll(async () => {
  installation = await install({
    users: 5,
    busyWeekends: true,
    fault: ({ path }) => (failing?.test(path) ? unavailable : undefined),
  });
  await installation.load('nightly --date 2026-03-10', { LOOKBACK_DAYS: '0' });
  empty = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-told-'));
  await writeFile(join(folder, 'key'), key);
});

afterAll(async () => {
  await installation[Symbol.asyncDispose]();
  await empty.drop();
  await rm(folder, { recursive: true });
});

/** What a command must say to each reader. */
interface Case {
  readonly name: string;
  readonly commandLine: string;
  readonly failing?: RegExp;
  readonly environment?: () => Record<string, string>;
  readonly code: number;
  /** In the text, and in `error` of the JSON where that is not null. */
  readonly says: RegExp;
  readonly neverSays: RegExp;
  readonly json?: object;
}

const cases: readonly Case[] = [
  {
    name: 'a platform that answers 503 to everything is told before all figures, and no line of zeros follows',
    commandLine: 'nightly --date 2026-03-11',
    failing: /./,
    code: 1,
    says: /usage-etl: GET \/\S+ failed after 1 attempt: the platform answered 503[\s\S]*Run \d+ failed/,
    neverSays: noZeros,
    json: { status: 'failed' },
  },
  {
    name: 'endpoints that fail alike are one line, before all figures',
    commandLine: 'nightly --date 2026-03-11',
    failing: /\/(?:tokens|tools|users)$/,
    code: 1,
    says: /Run \d+ partial in .*\s+Failed:\s+(?:\w+, ){2}\w+: 3 slices, 2026-03-11: requests failed after 1 attempt: the platform answered 503 .*\s+slices /,
    neverSays: noZeros,
    json: { status: 'partial' },
  },
  {
    name: 'a refused key is told with its file, where keys are made and which role it needs',
    commandLine: 'nightly --date 2026-03-11',
    environment: () => ({ API_KEY: '', API_KEY_FILE: join(folder, 'key') }),
    code: 3,
    says: /401: the platform does not accept this API key; make a key in the application's API key settings as a user with the Manager or Owner role and put it into API_KEY_FILE \(\/\S+key\)/,
    neverSays: new RegExp(`${key}|reads them again|asks again`),
  },
  {
    name: 'a failed night stays the last load, whatever ran after it',
    commandLine: 'status',
    code: 0,
    says: /Last load: \d+, nightly, .*: failed: 401.*; it ended before it knew its organization.*\s+Last other run: \d+, verify, .*: succeeded/,
    neverSays: /Last run|Last load[\s\S]*Last load/,
    json: {
      last_load: expect.objectContaining({ job: 'nightly', status: 'failed' }),
      last_other: expect.objectContaining({ job: 'verify', status: 'succeeded' }),
    },
  },
  {
    name: 'pending migrations are a number and one command',
    commandLine: 'status',
    environment: () => ({ DATABASE_URL: empty.url }),
    code: 2,
    says: /DATABASE_URL: the database lacks \d+ migrations; run `npm run -s etl -- migrate` first/,
    neverSays: /\d{4}_\w+/,
  },
  {
    name: 'doctor says once that nothing is set, and the rest refers to that line',
    commandLine: 'doctor',
    environment: () => ({ API_BASE_URL: '', API_KEY: '', DATABASE_URL: '', DATA_DIR: folder }),
    code: 2,
    says: /✗ API_BASE_URL: missing[\s\S]*– .*clock: see API_BASE_URL above[\s\S]*✓ DATABASE_URL: not set: .* the first run makes and migrates it\s+– read-only, (?:\w+, ){10}coverage: the embedded Postgres is checked when a command starts it\s/,
    neverSays: /nothing can be asked|see DATABASE_URL/,
  },
  {
    name: 'doctor says once that the database is away',
    commandLine: 'doctor',
    environment: () => ({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/nothing' }),
    code: 2,
    says: /✗ DATABASE_URL: the database cannot be reached now[\s\S]*– read-only, (?:\w+, ){10}coverage: see DATABASE_URL above\s/,
    neverSays: /does not answer/,
  },
];

/** The texts of a reader: what a machine reads is in the JSON only. */
function checkSeen({ way, code, text, json }: Seen, wanted: Case): void {
  expect({ way, code }).toEqual({ way, code: wanted.code });
  expect(text, way).not.toMatch(wanted.neverSays);
  if (json === undefined) expect(text, way).toMatch(wanted.says);
  if (json !== undefined && wanted.json !== undefined) expect(json).toMatchObject(wanted.json);
  if (json !== undefined && wanted.code !== 0) expect(json.error).toEqual(expect.any(String));
}

test.each(cases)('$name', async (wanted) => {
  const environment = { ...installation.environment, LOOKBACK_DAYS: '0', ...wanted.environment?.() };
  if (wanted.commandLine === 'status' && wanted.code === 0)
    expect((await installation.run('verify --from 2026-03-10 --to 2026-03-10')).code).toBe(0);
  ({ failing } = wanted);
  try {
    for (const seen of await seenInEachWay(wanted.commandLine, environment)) checkSeen(seen, wanted);
  } finally {
    failing = undefined;
  }
});

describe.skipIf(!hasTerminal())('schedule on a terminal', () => {
  test.each([80, 200])(
    'of %i columns tells the error of a bad night before its figures, and no zeros',
    async (columns) => {
      failing = /./;
      const { CRON_SCHEDULE } = farSchedule();
      const schedule = startInTerminal([process.execPath, programFile, 'schedule'], {
        environment: { ...installation.environment, LOOKBACK_DAYS: '0', CRON_SCHEDULE },
        columns,
      });
      await schedule.says('waiting for the next run');
      schedule.type(ctrlC);
      const { output } = await schedule.ended;
      failing = undefined;
      const lines = linesShown(output).join('\n');
      expect(lines).toMatch(/ERROR: GET .*the platform answered 503[\s\S]*INFO: nightly ended/);
      expect(lines).not.toMatch(/: 0,?$/m);
    },
  );
});
