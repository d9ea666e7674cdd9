import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Installation, install } from '../support/installation.ts';
import type { Ended } from '../support/program.ts';

const loads = 'backfill --from 2026-01-14 --to 2026-01-14';

describe('bad usage or configuration ends the program before it touches anything', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await install({ users: 5 });
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  /** Exit code 2, the sentences and nothing else on standard error, nothing asked, nothing recorded. */
  async function expectRefused(ended: Ended, sentences: readonly (string | RegExp)[]): Promise<void> {
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    for (const sentence of sentences) expect(ended.stderr).toMatch(sentence);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(sentences.length);
    expect(installation.simulator.requests).toEqual([]);
    const { rows } = await installation.database.pool.query('select run_id from etl.run');
    expect(rows).toEqual([]);
  }

  test('every wrong setting is named, each in a sentence of its own, all at once', async () => {
    const wrong = {
      API_BASE_URL: 'http://platform.example.com',
      APP_BASE_URL: 'ftp://127.0.0.1',
      API_KEY: 'two words',
      DATABASE_URL: 'mysql://127.0.0.1/usage',
      LOOKBACK_DAYS: '-1',
      WINDOW_DAYS: '0',
      PAGE_SIZE: '101',
      REQUESTS_PER_SECOND: 'fast',
      MAX_CONCURRENCY: '1.5',
      REQUEST_TIMEOUT_MS: '0',
      MAX_RETRIES: 'many',
      LOG_LEVEL: 'loud',
      LOG_FORMAT: 'xml',
    };
    await expectRefused(
      await installation.run(loads, wrong),
      Object.keys(wrong).map((name) => new RegExp(`^.*\\b${name}: expected .+$`, 'm')),
    );
  });

  test('a missing platform address and key are both named', async () => {
    await expectRefused(await installation.run(loads, { API_BASE_URL: '', API_KEY: '' }), [
      /API_BASE_URL: missing/,
      /API_KEY: missing.*API_KEY_FILE/,
    ]);
  });

  test.each([
    ['backfill --from 2026-13-01', [/--from.*2026-13-01/]],
    ['backfill --from 2026-01-13', [/--from.*2026-01-14.*2026-01-13/]],
    ['backfill --to 2999-01-01', [/--to.*2999-01-01/]],
    ['backfill --to tomorrow --endpoints tokens,memes', [/--to.*tomorrow/, /--endpoints.*memes/]],
    ['backfill --from 2026-02-02 --to 2026-02-01', [/--from.*2026-02-02 is after --to.*2026-02-01/]],
    ['backfill --allow-empty', [/--allow-empty.*--force/]],
    ['nightly --date 2026-02-30', [/--date.*2026-02-30/]],
    ['nightly --forse', [/unknown option '--forse'/]],
    ['nihgtly', [/unknown command 'nihgtly'; did you mean nightly\?/]],
    ['nightly today', [/too many arguments/]],
    ['status --from 2026-02-02 --to 2026-02-01', [/--from.*2026-02-02 is after --to.*2026-02-01/]],
  ])('%s', async (commandLine, sentences) => {
    await expectRefused(await installation.run(commandLine), sentences);
  });
});

test('a database without the schema is refused with what to do, before the platform is asked', async () => {
  await using installation = await install({ users: 5 });
  await installation.database.pool.query('drop schema warehouse, bi, etl cascade');
  const { code, stderr } = await installation.run(loads);
  expect(code).toBe(2);
  expect(stderr).toContain('run `npm run -s etl -- migrate` first');
  expect(installation.simulator.requests).toEqual([]);
});

test('plain text to a database on another machine is warned of once', async () => {
  await using installation = await install({ users: 5 });
  const { stderr } = await installation.run(loads, { DATABASE_URL: 'postgres://u:p@db.example.invalid/d' });
  expect(stderr.split('has no sslmode for db.example.invalid')).toHaveLength(2);
});
