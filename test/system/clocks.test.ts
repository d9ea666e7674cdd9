import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { addDays, daysOf, yesterday } from '../../src/model/day.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { verify } from '../support/verification.ts';

const dayMs = 86_400_000;
const last = yesterday(Date.now);

describe('a clock that is ahead of the platform', () => {
  let installation: Installation;
  let aheadMs: number;

  beforeEach(async () => {
    installation = await install({ clock: () => Date.now() - aheadMs });
  });

  afterEach(() => installation[Symbol.asyncDispose]());

  async function slices() {
    const { rows } = await installation.database.pool.query<{ day: string; status: string; slices: number }>(
      `select usage_date::text as day, status, count(*)::integer as slices, bool_or(fetched_at is not null) as fetched
      from etl.slice group by 1, 2 order by 1, 2`,
    );
    return rows;
  }

  const askedFor = (day: string) =>
    installation.simulator.requests.filter(({ days }) => days !== undefined && days.to >= day);

  test('leaves its yesterday pending, loads the rest, and says by how much it is ahead', async () => {
    aheadMs = dayMs;
    const { code, summary, stderr } = await installation.load('nightly', { LOOKBACK_DAYS: '2' });
    expect(code).toBe(0);
    expect(summary).toMatchObject({
      status: 'succeeded',
      slices: { planned: 15, loaded: 10, pending: 5, empty: 0, failed: 0 },
    });
    const before = addDays(last, -1);
    const there = new Date(Date.now() - aheadMs).toISOString().slice(0, 10);
    expect(stderr).toContain(`does not serve ${last} yet, its last day is ${before}`);
    expect(stderr).toMatch(
      new RegExp(`is (1 d|23 h 59 min) ahead of the platform's \\(${there}T.*, from its Date header\\)`),
    );
    expect(await slices()).toMatchObject([
      { status: 'loaded', slices: 5 },
      { status: 'loaded', slices: 5 },
      { day: last, status: 'pending', slices: 5, fetched: false },
    ]);
    // The two that learn the organization.
    expect(askedFor(last)).toHaveLength(2);
    const payloads = installation.payloads(addDays(last, -2), before);
    expect(await storedWarehouse(installation.database.pool)).toEqual(
      expectedWarehouse(organization, payloads),
    );

    aheadMs = 0;
    const later = await installation.load('nightly', { LOOKBACK_DAYS: '0' });
    expect(later.summary).toMatchObject({ status: 'succeeded', slices: { planned: 5, loaded: 5 } });
    expect(later.stderr).not.toContain('clock');
  });

  test('lets nothing expire that is young to the platform', async () => {
    aheadMs = 3 * dayMs;
    const { pool } = installation.database;
    await pool.query(
      `insert into etl.run (job, status, started_at)
      select 'verify', 'succeeded', now() - interval '3 days' from generate_series(1, 2)`,
    );
    await installation.load('nightly', {
      LOOKBACK_DAYS: '4',
      RAW_RETENTION_DAYS: '2',
      RUN_RETENTION_DAYS: '2',
    });
    expect((await pool.query(`select from etl.run where job = 'verify'`)).rowCount).toBe(2);
    const { rows } = await pool.query('select count(distinct slice_key)::integer as days from etl.raw_slice');
    expect(rows).toEqual([{ days: 2 }]);
  });

  test('by several days leaves these days pending, and learns nothing of windows from that', async () => {
    aheadMs = 3 * dayMs;
    const { code, summary } = await installation.load('nightly', { LOOKBACK_DAYS: '4' });
    expect({ code, slices: summary.slices }).toMatchObject({
      code: 0,
      slices: { planned: 25, loaded: 10, pending: 15, failed: 0 },
    });
    expect((await slices()).filter(({ status }) => status === 'pending').map(({ day }) => day)).toEqual(
      daysOf({ from: addDays(last, -2), to: last }),
    );
    expect((await installation.database.pool.query('select from etl.request_window')).rowCount).toBe(0);
  });

  test('believes nothing of such a day, however many nights it lasts', async () => {
    aheadMs = 6 * dayMs;
    for (const endpoint of ['tokens', 'tools', 'activity', 'productivity', 'users'])
      for (const day of daysOf({ from: addDays(last, -5), to: last }))
        installation.dataset.overrideRows(endpoint, day, []);
    for (let night = 0; night < 4; night++)
      expect(await installation.load('nightly', { LOOKBACK_DAYS: '6' })).toMatchObject({
        code: 0,
        summary: { slices: { planned: 35, pending: 30, empty: 0 } },
      });
    expect(await slices()).toHaveLength(7);
  });

  test('keeps what is held of such a day', async () => {
    aheadMs = 0;
    await installation.load('nightly', { LOOKBACK_DAYS: '0' });
    aheadMs = dayMs;
    const { code, summary } = await installation.load('nightly', { LOOKBACK_DAYS: '1' });
    expect({ code, slices: summary.slices }).toMatchObject({
      code: 0,
      slices: { planned: 10, loaded: 5, pending: 5, failed: 0 },
    });
    const payloads = installation.payloads(addDays(last, -1), last);
    expect(await storedWarehouse(installation.database.pool)).toEqual(
      expectedWarehouse(organization, payloads),
    );
    expect((await slices()).map(({ status }) => status)).toEqual(['loaded', 'loaded']);
  });

  test('turns failed slices of such a day into pending ones', async () => {
    aheadMs = 0;
    await installation.load(`backfill --from ${last} --to ${last} --endpoints activity`);
    await installation.database.pool.query(
      `update etl.slice set status = 'failed', error = 'the platform answered 500', last_failed_at = now(), row_count = 0`,
    );
    aheadMs = dayMs;
    await installation.load('nightly', { LOOKBACK_DAYS: '0' });
    const { rows } = await installation.database.pool.query(
      "select status, error, last_failed_at from etl.slice where endpoint = 'activity'",
    );
    expect(rows).toEqual([{ status: 'pending', error: null, last_failed_at: null }]);
  });

  test('does not keep verify from its work', async () => {
    aheadMs = dayMs;
    await installation.load('nightly', { LOOKBACK_DAYS: '2' });
    const { code, report, stderr } = await verify(installation, addDays(last, -2), last);
    expect({ code, contradictions: report.contradictions }).toEqual({ code: 0, contradictions: [] });
    expect(stderr).toContain('ahead of the platform');
  });
});
