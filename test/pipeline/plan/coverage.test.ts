import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Day, day } from '../../../src/model/day.ts';
import { coverageOfAll } from '../../../src/pipeline/plan/coverage.ts';
import { sources } from '../../../src/sources/registry.ts';
import { openPool, withSession } from '../../../src/warehouse/connection/connection.ts';
import type { SliceStatus } from '../../../src/warehouse/ledger/slice-ledger.ts';
import { sharedTestDatabase } from '../../support/database.ts';
import { sourceOf } from '../../support/samples.ts';

const database = await sharedTestDatabase();
const pool = openPool(database.url, 1);
afterAll(() => pool.end());
const users = [sourceOf('users')];
const today = day('2026-02-08');

beforeEach(async () => {
  await database.pool.query('delete from etl.slice; delete from etl.asked_range; delete from etl.session');
  await database.pool.query('delete from warehouse.dim_org');
});

interface Slices {
  readonly endpoint?: string;
  readonly states: Partial<Record<SliceStatus, readonly string[]>>;
  readonly refused?: readonly string[];
  readonly asked?: string;
}

/** Puts an organization and its slices into the ledger; keys that are days have a day. */
async function addSlices(
  orgKey: number,
  { endpoint = 'users', states, refused = [], asked }: Slices,
): Promise<void> {
  await database.pool.query(
    `insert into warehouse.dim_org (org_key, org_id) overriding system value values ($1::integer, 'org_' || $1::integer)
     on conflict do nothing`,
    [orgKey],
  );
  for (const [status, keys] of Object.entries(states))
    await database.pool.query(
      `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, refused_at)
       select $1, $2, key, case when key ~ '^2026-' then key::date end, $3, case when key = any($5) then now() end
       from unnest($4::text[]) as key`,
      [orgKey, endpoint, status, keys, refused],
    );
  if (asked !== undefined)
    await database.pool.query(
      `insert into etl.asked_range values ($1, $2, $3)
       on conflict (org_key, endpoint) do update set first_day = excluded.first_day`,
      [orgKey, endpoint, asked],
    );
}

function coverageOf(from: string | undefined, to: string, excused?: Day, of = users) {
  const days = { from: from === undefined ? undefined : day(from), to: day(to), today, excused };
  return withSession(pool, ({ db }) => coverageOfAll(db, of, days));
}

describe('coverage', () => {
  const states = {
    loaded: ['2026-02-01', '2026-02-04'],
    empty: ['2026-02-02'],
    pending: ['2026-02-06'],
    failed: ['2026-02-03'],
  };

  it('tells what is there, what is missing, what failed and what is not believed yet', async () => {
    await addSlices(1, { states });
    expect(await coverageOf('2026-02-01', '2026-02-07')).toEqual([
      {
        organization: 'org_1',
        complete: false,
        endpoints: [
          {
            endpoint: 'users',
            first_day: '2026-02-01',
            last_day: '2026-02-04',
            days_loaded: 2,
            days_empty: 1,
            days_pending: 1,
            days_failed: 1,
            days_refused: 0,
            gaps_can_be_filled: true,
            gaps: ['2026-02-05', '2026-02-07'],
            gaps_count: 2,
            failed: ['2026-02-03'],
            failed_count: 1,
            refused: [],
            pending: ['2026-02-06'],
            pending_count: 1,
          },
        ],
        other_sources: [],
      },
    ]);
  });

  it('looks for what is missing since the day that was asked for, unless it is told another', async () => {
    const gaps = async (asked: string | undefined, from?: string) => {
      await addSlices(1, { states: {}, ...(asked === undefined ? {} : { asked }) });
      return (await coverageOf(from, '2026-02-05'))[0]?.endpoints[0]?.gaps;
    };
    await addSlices(1, { states });
    expect(await gaps(undefined)).toEqual(['2026-02-05']);
    expect(await gaps('2026-01-30')).toEqual(['2026-01-30', '2026-01-31', '2026-02-05']);
    expect(await gaps('2026-02-05')).toEqual(['2026-02-05']);
    expect(await gaps('2026-01-30', '2026-02-02')).toEqual(['2026-02-05']);
  });

  it('is complete when no day of the range is missing or failed, and yesterday is not pending', async () => {
    await addSlices(1, { states });
    await addSlices(2, { states: { loaded: ['2026-02-01'], pending: ['2026-02-07'] } });
    const complete = async (from: string, to: string, excused?: Day) =>
      (await coverageOf(from, to, excused)).map((of) => of.complete);
    expect(await complete('2026-02-01', '2026-02-02')).toEqual([true, false]);
    expect(await complete('2026-02-02', '2026-02-03')).toEqual([false, false]);
    expect(await complete('2026-02-04', '2026-02-05')).toEqual([false, false]);
    expect(await complete('2026-02-06', '2026-02-06')).toEqual([true, false]);
    expect(await complete('2026-02-07', '2026-02-07')).toEqual([false, false]);
    expect(await complete('2026-02-07', '2026-02-07', day('2026-02-07'))).toEqual([true, true]);
    expect(await complete('2026-02-03', '2026-02-03', day('2026-02-03'))).toEqual([true, true]);
  });

  it('is not complete where an answer was refused, also before the day that was asked for, and of an excused day', async () => {
    await addSlices(1, {
      states: { loaded: ['2026-02-01', '2026-02-04'] },
      refused: ['2026-02-01'],
      asked: '2026-02-04',
    });
    const [all] = await coverageOf(undefined, '2026-02-04', day('2026-02-01'));
    expect(all).toMatchObject({
      complete: false,
      endpoints: [{ days_refused: 1, refused: ['2026-02-01'], gaps: [] }],
    });
    const [later] = await coverageOf('2026-02-04', '2026-02-04');
    expect(later).toMatchObject({ complete: true, endpoints: [{ days_refused: 1, refused: [] }] });
  });

  it('of nothing is not complete', async () => {
    await addSlices(1, { states: {} });
    expect(await coverageOf(undefined, '2026-02-05')).toMatchObject([
      { complete: false, endpoints: [{ first_day: null, last_day: null, gaps: [] }] },
    ]);
  });

  it('of snapshots names lost days and a failure of today, of sessions those that are not finished', async () => {
    await addSlices(1, { states: { loaded: ['2026-02-07'] } });
    const computers = { loaded: ['2026-02-03', '2026-02-06'], failed: ['2026-02-04', '2026-02-08'] };
    await addSlices(1, { endpoint: 'computers', states: computers });
    await addSlices(1, {
      endpoint: 'session-messages',
      states: { failed: ['open', 'finished'], loaded: ['done'] },
    });
    await database.pool.query(
      `insert into etl.session (org_key, session_id, finished_at) values (1, 'open', null), (1, 'finished', now())`,
    );
    const [of] = await coverageOf(undefined, '2026-02-07', undefined, [...sources]);
    expect(of?.other_sources).toMatchObject([
      {
        endpoint: 'computers',
        gaps: ['2026-02-04', '2026-02-05', '2026-02-07'],
        gaps_can_be_filled: false,
        failed: ['2026-02-08'],
      },
      { endpoint: 'session-messages', days_loaded: 1, gaps: [], failed: ['open'], failed_count: 1 },
    ]);
  });

  it('lists slices of the first hundred organizations that lack any, and counts those of all', async () => {
    for (let orgKey = 1; orgKey <= 103; orgKey += 1)
      await addSlices(orgKey, {
        states: { loaded: ['2026-02-01', ...(orgKey === 2 ? ['2026-02-02'] : [])] },
      });
    const all = await coverageOf(undefined, '2026-02-02');
    expect(all.map(({ endpoints }) => endpoints[0]?.gaps_count).filter((count) => count === 1)).toHaveLength(
      102,
    );
    const listed = all.filter(({ endpoints }) => endpoints[0]?.gaps.length === 1);
    expect(listed).toHaveLength(100);
    expect(all.filter((of) => !listed.includes(of)).map(({ organization }) => organization)).toEqual([
      'org_2',
      'org_102',
      'org_103',
    ]);
  });
});
