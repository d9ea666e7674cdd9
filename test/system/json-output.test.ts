/** `--json`: one object, when it is due, with `error` whenever the exit code is not 0. `LOG_FORMAT=json`: nothing but lines of the log. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { install, sharedInstallation } from '../support/installation.ts';
import { programFile, startProgram } from '../support/program.ts';

let isBroken = false;

const installation = await sharedInstallation({
  users: 5,
  fault: ({ path }) => (isBroken && path.endsWith('/tools') ? { kind: 'reset' } : undefined),
});

const none = { DATABASE_URL: 'postgres://nobody:x@127.0.0.1:1/none' };

describe('error is in the object whenever the exit code is not 0', () => {
  test.each<[string, number, Record<string, string>]>([
    ['backfill --from tomorrow --json', 2, {}],
    ['--json backfill --forse', 2, {}],
    ['nihgtly --json', 2, {}],
    ['--json', 2, {}],
    ['status --check --json', 1, {}],
    ['--json status', 1, none],
    ['migrate --json', 1, none],
    ['verify --json', 1, {}],
    ['nightly --json', 3, { API_KEY: 'another-key' }],
    ['nightly --json', 2, { API_KEY: '' }],
    ['schedule --json', 2, { CRON_SCHEDULE: 'now and then' }],
    ['simulate --port 99999999 --json', 2, {}],
    ['demo --users none --json', 2, {}],
  ])('%s: %i', async (commandLine, code, environment) => {
    const ended = await installation.run(commandLine, environment);
    expect(ended.code, ended.stderr).toBe(code);
    expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(ended.stdout).error).toMatch(/\w+ \w+/);
  });

  test('a run with slices that failed says which and why', async () => {
    isBroken = true;
    const ended = await installation.run('backfill --to 2026-01-15 --json');
    isBroken = false;
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stdout)).toMatchObject({
      status: 'partial',
      slices: { failed: 2 },
      error: expect.stringMatching(/^2 slices failed: tools: 2 slices, 2026-01-14 to 2026-01-15: /),
    });
    const good = await installation.run('backfill --to 2026-01-15 --json');
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout)).not.toHaveProperty('error');
  });
});

test('--json stands before or after the command', async () => {
  const [before, after] = await Promise.all(
    ['--json status', 'status --json'].map((commandLine) => installation.run(commandLine)),
  );
  expect(JSON.parse(before?.stdout ?? '')).toEqual(JSON.parse(after?.stdout ?? ''));
});

test('all that is wrong with options and settings is told in one round', async () => {
  const { code, stderr } = await installation.run(
    'backfill --from 2026-13-01 --forse --endpoints memes --to',
    {
      API_BASE_URL: '',
      PAGE_SIZE: '0',
    },
  );
  expect(code).toBe(2);
  const lines = stderr.trimEnd().split('\n');
  for (const problem of [
    /--to.*argument missing/,
    /unknown option '--forse'; did you mean --force\?/,
    /--from: expected a day/,
    /--endpoints: expected some of/,
    /API_BASE_URL: missing/,
    /PAGE_SIZE: expected/,
  ])
    expect(lines.filter((line) => problem.test(line))).toHaveLength(1);
  expect(lines).toHaveLength(6);
});

test('a schedule that is none is told with what else is wrong', async () => {
  const { stderr } = await installation.run('schedule', {
    CRON_SCHEDULE: 'often',
    API_KEY: '',
    PAGE_SIZE: '0',
  });
  for (const variable of ['CRON_SCHEDULE', 'API_KEY', 'PAGE_SIZE']) expect(stderr).toContain(`${variable}: `);
});

test('a plan needs no credential and no address of the platform', async () => {
  const environment = { API_KEY: '', API_BASE_URL: '' };
  const { code, stdout, stderr } = await installation.run('backfill --dry-run --json', environment);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout).plans).toHaveLength(1);
});

describe('what stays up prints its object when it is up', () => {
  test('simulate: an address that answers', async () => {
    const run = startProgram(programFile, ['simulate', '--port', '0', '--json'], {});
    const { url } = JSON.parse(await run.prints());
    const answer = await fetch(`${url}/api/v1/analytics/tokens`);
    expect(answer.status).toBe(401);
    run.process.kill('SIGTERM');
    const { code, stdout } = await run.ended;
    expect({ code, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 1 });
  });

  test('simulate: a line for another terminal with its usual key, which is no secret, and no other key', async () => {
    for (const [words, shown] of [
      [[], 'API_KEY=simulated-key'],
      [['--api-key', 'key-4711'], 'API_KEY=[redacted]'],
    ] as const) {
      const run = startProgram(programFile, ['simulate', '--port', '0', ...words], {});
      await run.prints();
      run.process.kill('SIGTERM');
      expect((await run.ended).stdout).toContain(shown);
    }
  });

  test('db: an address that answers, and it says where the data lies', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'usage-etl-db-'));
    const run = startProgram(programFile, ['--json', 'db'], { DATA_DIR: folder });
    try {
      const { url } = JSON.parse(await run.prints());
      await run.says('data in ');
      const status = await startProgram(programFile, ['status', '--json'], { DATABASE_URL: url }).ended;
      // It is empty: nothing but the address was promised.
      expect(status.stderr).toContain('npm run -s etl -- migrate');
    } finally {
      run.process.kill('SIGTERM');
      const { code, stdout, stderr } = await run.ended;
      expect({ code, lines: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, lines: 1 });
      const [, elsewhere] = /data in (\/[^"\s]+)/.exec(stderr) ?? [];
      await rm(folder, { recursive: true });
      if (elsewhere?.startsWith('/var/lib/')) await rm(elsewhere, { recursive: true });
    }
  });
});

describe('with LOG_FORMAT=json', () => {
  const environment = { LOG_FORMAT: 'json' };
  const expectLines = (stderr: string) => {
    const lines = stderr.trimEnd().split('\n');
    for (const line of lines)
      expect(JSON.parse(line), line).toMatchObject({ level: expect.any(String), time: expect.any(String) });
    return lines.map((line) => JSON.parse(line));
  };

  test.each<[string, Record<string, string>]>([
    ['backfill --from x --forse', {}],
    ['nihgtly', {}],
    ['nightly', { API_KEY: 'another-key' }],
    ['status', none],
    ['schedule', { CRON_SCHEDULE: 'often' }],
  ])('what is wrong with "%s" is told in lines of the log', async (commandLine, more) => {
    const { code, stderr } = await installation.run(commandLine, { ...environment, ...more });
    expect(code).not.toBe(0);
    expect(expectLines(stderr).filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
  });

  test('LOG_FORMAT of .env counts, too, also when the command line is wrong', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'usage-etl-env-'));
    await writeFile(join(folder, '.env'), 'LOG_FORMAT=json\n');
    expectLines((await installation.runIn(folder, 'nihgtly')).stderr);
    expectLines((await installation.runIn(folder, 'backfill --from x')).stderr);
    await rm(folder, { recursive: true });
  });

  test('a warning of Node and an error that nobody caught are lines of the log', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'usage-etl-warning-'));
    const file = join(folder, 'warn.mjs');
    await writeFile(
      file,
      `setTimeout(() => process.emitWarning('something is old', 'DeprecationWarning'), 50);
       if (process.env.BREAK) process.on('SIGUSR2', () => { throw new Error('a fault'); });`,
    );
    const preloaded = { ...environment, NODE_OPTIONS: `--import ${file}`, BREAK: '1' };
    const run = startProgram(programFile, ['simulate', '--port', '0'], preloaded);
    await run.says('DeprecationWarning: something is old');
    await run.prints();
    run.process.kill('SIGUSR2');
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    const lines = expectLines(stderr);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'DeprecationWarning: something is old' }),
    );
    expect(lines.at(-1)).toMatchObject({ level: 'error', msg: expect.stringContaining('a fault') });
    await rm(folder, { recursive: true });
  });

  test('all that schedule says of its nights are lines of the log', async () => {
    await using refusing = await install({ users: 1, fault: () => ({ kind: 'status', status: 500 }) });
    const more = { CRON_SCHEDULE: '* * * * * *', NOTIFY_WEBHOOK_URL: 'http://127.0.0.1:1/' };
    const schedule = refusing.start('schedule', { ...environment, ...more });
    await schedule.says('NOTIFY_WEBHOOK_URL: the message was not delivered');
    await schedule.says('nightly ended');
    schedule.process.kill('SIGTERM');
    expectLines((await schedule.ended).stderr);
  });
});
