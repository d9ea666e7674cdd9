import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { fieldsOf } from '../support/exact-json.ts';
import { type Installation, install } from '../support/installation.ts';
import { archiveRows, factRows, sliceRow } from '../support/ledger-rows.ts';

const [from, damaged] = ['2026-01-14', '2026-01-15'];
const range = `--from ${from} --to ${damaged} --endpoints users`;
/** A page of a few users is a megabyte: the archive of the day has several chunks, whatever their size. */
const environment = { PAGE_SIZE: '5', CHUNK_BYTES: '100000' };
const withoutPlatform = { ...environment, API_BASE_URL: '', API_KEY: '' };

const ofDay = `endpoint = 'users' and slice_key = '${damaged}'`;
const chunk = (which: string) => `chunk = (select ${which} from etl.raw_slice where ${ofDay})`;

const damages: [string, string][] = [
  ['lacks its first chunk', `delete from etl.raw_slice where ${ofDay} and ${chunk('min(chunk)')}`],
  ['lacks a chunk in the middle', `delete from etl.raw_slice where ${ofDay} and ${chunk('min(chunk) + 1')}`],
  ['lacks its last chunk', `delete from etl.raw_slice where ${ofDay} and ${chunk('max(chunk)')}`],
  [
    'has a chunk that is cut off',
    `update etl.raw_slice set payload = substring(payload for 100) where ${ofDay} and ${chunk('max(chunk)')}`,
  ],
];

describe('an archive that', () => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await install({ users: 40 });
    const [row] = installation.dataset.rows('users', day(from));
    const wordy = Array.from({ length: 20 }, (_, user) => ({
      ...fieldsOf(row),
      user_id: `user_${user}`,
      user_email: null,
      date: damaged,
      languages: Array.from({ length: 10 }, (_, index) => `${user} ${index} ${'x'.repeat(25_000)}`),
    }));
    installation.dataset.overrideRows('users', day(damaged), wordy);
    const { code } = await loadInProcess(installation, `backfill ${range}`, { environment });
    expect(code).toBe(0);
    const chunks = await archiveRows(installation.database.pool, 'users', damaged);
    expect(chunks.length).toBeGreaterThan(2);
  });

  afterEach(() => installation[Symbol.asyncDispose]());

  const replay = () => loadInProcess(installation, `replay ${range}`, { environment: withoutPlatform });

  test.each(damages)(
    '%s is not believed by replay, which leaves every row as it is',
    async (_what, damage) => {
      const { pool } = installation.database;
      const before = await factRows(pool);
      await pool.query(damage);
      const { code, summary } = await replay();
      expect(await factRows(pool)).toEqual(before);
      expect({ code, slices: summary.slices }).toMatchObject({
        code: 1,
        slices: { planned: 2, unchanged: 1, failed: 1 },
      });
      expect(await sliceRow(pool, 'users', damaged)).toMatchObject({
        status: 'loaded',
        error: null,
        last_error: expect.stringMatching(/archive/i),
        last_failed_at: expect.any(String),
      });
    },
  );

  test('lacks a chunk loads nothing into an emptied star, not even the rest', async () => {
    const { pool } = installation.database;
    await pool.query(`
      delete from etl.raw_slice where ${ofDay} and ${chunk('max(chunk)')};
      truncate warehouse.fact_user_daily, warehouse.bridge_user_language_daily`);
    const { code, summary } = await replay();
    expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { loaded: 1, failed: 1 } });
    const { fact_user_daily: rows = [] } = await factRows(pool);
    expect(new Set(rows.map(({ usage_date }) => usage_date))).toEqual(new Set([from]));
  });

  test('lacks a chunk is whole again after backfill --force', async () => {
    const { pool } = installation.database;
    const before = await factRows(pool);
    await pool.query(`delete from etl.raw_slice where ${ofDay} and ${chunk('min(chunk) + 1')}`);
    expect((await replay()).code).toBe(1);
    const forced = await loadInProcess(installation, `backfill ${range} --force`, { environment });
    expect(forced.code).toBe(0);
    expect(await replay()).toMatchObject({ code: 0, summary: { slices: { failed: 0 } } });
    expect(await factRows(pool)).toEqual(before);
    expect(await sliceRow(pool, 'users', damaged)).toMatchObject({ last_error: null, last_failed_at: null });
  });

  test('is whole is not forgotten when the star was emptied and the platform has no rows any more', async () => {
    const { pool } = installation.database;
    const before = await factRows(pool);
    await pool.query('truncate warehouse.fact_user_daily, warehouse.bridge_user_language_daily');
    for (const each of [from, damaged]) installation.dataset.overrideRows('users', day(each), []);
    await loadInProcess(installation, `backfill ${range} --force`, { environment });
    expect(await sliceRow(pool, 'users', damaged)).toMatchObject({ row_count: 0 });
    expect(await replay()).toMatchObject({ code: 0, summary: { slices: { loaded: 2, failed: 0 } } });
    const after = await factRows(pool);
    expect(after.fact_user_daily).toHaveLength(before.fact_user_daily?.length ?? 0);
  });
});
