import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];
const middle = day('2026-01-15');

describe('a day without rows', () => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await install({ users: 30 });
  });

  afterEach(() => installation[Symbol.asyncDispose]());

  function serve(served: 'nothing' | 'rows', of = middle): void {
    for (const endpoint of endpoints)
      installation.dataset.overrideRows(endpoint, of, served === 'rows' ? undefined : []);
  }

  async function statusesOf(usageDate: string): Promise<unknown[]> {
    const { rows } = await installation.database.pool.query<{ status: string }>(
      'select distinct status from etl.slice where usage_date = $1',
      [usageDate],
    );
    return rows.map(({ status }) => status);
  }

  test('that was loaded with rows keeps them until --allow-empty says otherwise', async () => {
    const { database, load, payloads } = installation;
    const before = payloads(from, to);
    await load(`backfill --from ${from} --to ${to}`);

    serve('nothing');
    const kept = await load(`nightly --date ${to}`);
    expect(kept).toMatchObject({
      code: 0,
      summary: {
        status: 'succeeded',
        slices: { planned: 15, refused: 5, unchanged: 10, empty: 0, failed: 0 },
      },
    });
    expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, before));
    expect(await statusesOf(middle)).toEqual(['loaded']);
    const { rows: drift } = await database.pool.query(
      "select endpoint from etl.drift where kind = 'shrunk' and path = 'data' and example = $1 order by 1",
      [middle],
    );
    expect(drift.map(({ endpoint }) => endpoint)).toEqual([...endpoints].sort());
    const refused = `select count(*)::integer as slices from etl.slice
      where usage_date = $1 and last_failed_at is not null and refused_at is not null and last_error ~ 'reports no rows' and error is null`;
    expect((await database.pool.query(refused, [middle])).rows).toEqual([{ slices: 5 }]);

    const forced = await load(`backfill --from ${middle} --to ${middle} --force`);
    expect(forced.code).toBe(0);
    expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, before));

    const emptied = await load(`backfill --from ${middle} --to ${middle} --force --allow-empty`);
    expect(emptied.code).toBe(0);
    expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(from, to)));
    expect(await statusesOf(middle)).toEqual(['empty']);
    expect((await database.pool.query(refused, [middle])).rows).toEqual([{ slices: 0 }]);
  });

  test('that was never loaded is empty, and not asked for again', async () => {
    serve('nothing');
    const first = await installation.load(`backfill --from ${from} --to ${to}`);
    expect(first).toMatchObject({ code: 0, summary: { slices: { loaded: 10, empty: 5, pending: 0 } } });
    expect(await statusesOf(middle)).toEqual(['empty']);
    const second = await installation.load(`backfill --from ${from} --to ${to}`);
    expect(second.summary.slices.planned).toBe(0);
  });

  test('is pending while it is yesterday, and loaded once the platform has counted it', async () => {
    const { database, load, payloads } = installation;
    const yesterday = day(to);
    serve('nothing', yesterday);
    const early = await load(`nightly --date ${to}`, { LOOKBACK_DAYS: '0' });
    expect(early).toMatchObject({
      code: 0,
      summary: { status: 'succeeded', slices: { planned: 5, pending: 5, failed: 0 } },
    });
    expect(await statusesOf(to)).toEqual(['pending']);

    serve('rows', yesterday);
    const later = await load(`backfill --from ${to} --to ${to}`);
    expect(later).toMatchObject({ code: 0, summary: { slices: { planned: 5, loaded: 5 } } });
    expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(to, to)));
  });
});
