/** Who means a server and forgot `DATABASE_URL` is told where the data goes instead. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { programFile, startProgram } from '../support/program.ts';

const line = z.object({ level: z.string(), msg: z.string() });

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-forgotten-'));
  // Root's server runs as another user, who must get through.
  await chmod(folder, 0o711);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** Runs a command against a platform that does not answer, and returns what the log warns of. */
async function warningsOf(commandLine: string, apiBaseUrl: string): Promise<string[]> {
  const { stderr } = await startProgram(programFile, commandLine.split(' '), {
    API_BASE_URL: apiBaseUrl,
    API_KEY: 'any-key',
    DATA_DIR: folder,
    MAX_RETRIES: '0',
    LOG_FORMAT: 'json',
  }).ended;
  return stderr
    .trim()
    .split('\n')
    .map((text) => line.parse(JSON.parse(text)))
    .filter(({ level, msg }) => level === 'warn' && msg.includes('DATABASE_URL'))
    .map(({ msg }) => msg);
}

// The top-level domain is one that nobody can have.
const elsewhere = 'https://platform.invalid';
const runs = [
  'backfill --from 2026-01-14 --to 2026-01-15',
  'nightly --date 2026-01-15',
  'verify --from 2026-01-14 --to 2026-01-15',
  'replay --from 2026-01-14 --to 2026-01-15',
];

test.each(runs)(
  '%s without DATABASE_URL warns that it loads into the embedded Postgres, and where that lies',
  async (run) => {
    expect(await warningsOf(run, elsewhere)).toEqual([
      `DATABASE_URL is not set: this loads into the embedded Postgres in ${join(folder, 'postgres')}`,
    ]);
  },
);

test.each([
  ['from a platform on this machine', runs[0] ?? '', 'http://127.0.0.1:9'],
  ['by status, which loads nothing', 'status', elsewhere],
])('nothing is warned of %s', async (_, commandLine, apiBaseUrl) => {
  expect(await warningsOf(commandLine, apiBaseUrl)).toEqual([]);
});
