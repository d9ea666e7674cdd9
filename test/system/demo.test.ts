/** `demo` beside others, and how it ends. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { programFile, startProgram } from '../support/program.ts';
import { serversOf } from '../support/server-processes.ts';
import { ctrlC, hasTerminal, type InTerminal, linesShown, startInTerminal } from '../support/terminal.ts';
import { seenInEachWay } from '../support/ways-to-see.ts';

/** Until yesterday there are more days every day. */
const lastDay = '2026-03-31';
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-demo-'));
  // Root's server runs as another user, who must get through.
  await chmod(directory, 0o711);
});

afterEach(async () => {
  expect(await serversOf(directory)).toEqual([]);
  await rm(directory, { recursive: true });
});

/** Presses Ctrl-C again and again: the first time asks for the end, and any that comes half a second later ends it at once. */
async function pressUntilEnded(demo: InTerminal) {
  const pressing = setInterval(() => demo.type(ctrlC), 20);
  return demo.ended.finally(() => clearInterval(pressing));
}

const usersIn = async (url: string) => {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: url });
  await client.connect();
  try {
    return (await client.query('select count(*)::int as users from warehouse.dim_user')).rows[0].users;
  } finally {
    await client.end();
  }
};

test('a second demo has a database of its own, and leaves that of the first as it is', async () => {
  const environment = { DATA_DIR: directory };
  const demos = [30, 3].map((users) =>
    startProgram(programFile, ['demo', '--json', '--users', String(users), '--to', lastDay], environment),
  );
  onTestFinished(() => demos.forEach((demo) => void demo.process.kill()));
  const told = await Promise.all(demos.map((demo) => demo.prints()));
  const [one, other] = told.map((line) => JSON.parse(line));
  expect(one).toMatchObject({ status: 'succeeded', slices: { failed: 0 } });
  expect(one.url).not.toBe(other.url);
  expect(await usersIn(one.url)).toBeGreaterThan(3);
  expect(await usersIn(other.url)).toBeLessThanOrEqual(3);
  for (const demo of demos) {
    demo.process.kill('SIGTERM');
    const { code, stdout } = await demo.ended;
    expect(code).toBe(0);
    // One object, when it was up, and nothing at the end.
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  }
});

test('a demo that ends tells every reader what to do next', async () => {
  const environment = { DATA_DIR: directory };
  for (const { way, code, text, json } of await seenInEachWay(
    'demo --users 3 --to 2026-01-20 --exit',
    environment,
  )) {
    expect({ way, code }).toEqual({ way, code: 0 });
    if (json !== undefined) expect(json).toMatchObject({ status: 'succeeded', url: expect.any(String) });
    else
      expect(text, way).toMatch(
        /demo` stays up[\s\S]*questions\/09_credits_by_model\.sql\s[\s\S]*API_BASE_URL, API_KEY and DATABASE_URL, and run\s+.*doctor .*\s+.*migrate .*\s+.*backfill .*\s+.*schedule /,
      );
  }
});

describe.skipIf(!hasTerminal())('in a terminal', () => {
  const start = (...more: string[]) =>
    startInTerminal([process.execPath, programFile, 'demo', '--users', '5', '--to', lastDay, ...more], {
      environment: { DATA_DIR: directory },
    });

  test('Ctrl-C while it starts says so in one line, and leaves no server', async () => {
    const demo = start();
    await demo.says('creating a Postgres cluster');
    demo.type(ctrlC);
    const { code, output } = await demo.ended;
    expect(code).toBe(0);
    expect(output).toContain('Interrupted');
    expect(output).not.toMatch(/initdb|fixing permissions|expected/);
    expect(linesShown(output).filter((line) => line !== '').length).toBeLessThan(6);
  });

  test.each([
    ['creating a Postgres cluster', 'while it makes a cluster'],
    ['data in', 'while it loads'],
    ['Connect with psql', 'when it is up'],
  ])('whoever presses Ctrl-C after "%s" until it ends leaves no server', async (text) => {
    const demo = start();
    await demo.says(text);
    // 130: one more Ctrl-C came when the program no longer listened.
    expect([0, 130]).toContain((await pressUntilEnded(demo)).code);
    expect(await serversOf(directory)).toEqual([]);
  });

  test('after a Ctrl-C that came twice the next demo runs as ever', async () => {
    const broken = start();
    await broken.says('data in');
    broken.type(ctrlC + ctrlC);
    await broken.ended;
    const { code, output } = await start('--exit').ended;
    expect(code, output).toBe(0);
    expect(output).toContain('succeeded');
  });
});
