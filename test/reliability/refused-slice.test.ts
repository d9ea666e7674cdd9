import { describe, expect, test } from 'vitest';
import { loadInProcess } from '../support/commands-in-process.ts';
import { itemsOf } from '../support/exact-json.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { archiveRows, expectNothingOrphaned, sliceRow } from '../support/ledger-rows.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { tinyBounds } from '../support/tiny-bounds.ts';
import { expectWarehouseEqualsPayloads } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-20' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;

/** Postgres refuses rows of these days: the last of one table, and one in the middle of another. */
const refusals = [
  { endpoint: 'users', table: 'bridge_user_language_daily', day: '2026-01-20' },
  { endpoint: 'users', table: 'fact_user_daily', day: '2026-01-16' },
  { endpoint: 'tools', table: 'fact_tool_usage_daily', day: '2026-01-17' },
];

async function refuse({ database }: Installation): Promise<void> {
  for (const { table, day } of refusals)
    await database.pool.query(
      `alter table warehouse.${table} add constraint refused_${day.slice(-2)} check (usage_date <> '${day}') not valid`,
    );
}

async function allow({ database }: Installation): Promise<void> {
  for (const { table, day } of refusals)
    await database.pool.query(`alter table warehouse.${table} drop constraint refused_${day.slice(-2)}`);
}

const isRefused = (payload: { endpoint: string; day: string }) =>
  refusals.some(({ endpoint, day }) => endpoint === payload.endpoint && day === payload.day);

const lists: [string, Readonly<Record<string, string>>][] = [
  ['of all days', {}],
  ['of few rows', tinyBounds],
];

describe.each(lists)('in lists %s, a slice that the database refuses', (_which, environment) => {
  test('fails alone, says why, leaves nothing behind, and is loaded by the next run', async () => {
    await using installation = await install({ users: 150 });
    const { pool } = installation.database;
    await refuse(installation);
    const { code, summary } = await loadInProcess(installation, backfill, { environment });
    expect({ code, ...summary }).toMatchObject({
      code: 1,
      status: 'partial',
      slices: { planned: 35, loaded: 32, failed: 3 },
    });
    const others = installation.payloads(range.from, range.to).filter((payload) => !isRefused(payload));
    expect(await storedWarehouse(pool)).toEqual(expectedWarehouse(organization, others));
    for (const { endpoint, day } of refusals) {
      expect(await sliceRow(pool, endpoint, day)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining(`refused_${day.slice(-2)}`),
      });
      expect(await archiveRows(pool, endpoint, day)).toEqual([]);
    }
    await expectNothingOrphaned(pool);

    await allow(installation);
    const next = await loadInProcess(installation, backfill, { environment });
    expect(next).toMatchObject({ code: 0, summary: { slices: { planned: 3, loaded: 3 } } });
    await expectWarehouseEqualsPayloads(installation, range);
    for (const { endpoint, day } of refusals)
      expect(await sliceRow(pool, endpoint, day)).toMatchObject({ status: 'loaded', error: null });
  });

  test('and is held already keeps its rows and stays loaded, with what went wrong beside it', async () => {
    await using installation = await install({ users: 150 });
    const { pool } = installation.database;
    await loadInProcess(installation, backfill, { environment });
    const before = installation.payloads(range.from, range.to);
    // Every slice differs in a row of the table that refuses.
    for (const { endpoint, day } of before)
      changeRows(installation.dataset, endpoint, day, (row, index) =>
        index > 0
          ? row
          : {
              ...row,
              sessions: 4_711,
              languages: ['Zig'],
              by_tool: [...itemsOf(row.by_tool), { tool: 'New', invocations: 7 }],
            },
      );
    await refuse(installation);
    const { code, summary } = await loadInProcess(installation, `${backfill} --force`, { environment });
    expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { planned: 35, failed: 3 } });
    const expected = installation
      .payloads(range.from, range.to)
      .map((payload, index) => (isRefused(payload) ? (before[index] ?? payload) : payload));
    expect(await storedWarehouse(pool)).toEqual(expectedWarehouse(organization, expected));
    for (const { endpoint, day } of refusals) {
      expect(await archiveRows(pool, endpoint, day)).not.toEqual([]);
      expect(await sliceRow(pool, endpoint, day)).toMatchObject({
        status: 'loaded',
        error: null,
        last_error: expect.stringContaining(`refused_${day.slice(-2)}`),
      });
    }
    await expectNothingOrphaned(pool);
  });
});
