import { describe, expect, test } from 'vitest';
import { loadInProcess } from '../support/commands-in-process.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { bounds } from '../support/tiny-bounds.ts';

const [from, to] = ['2026-01-14', '2026-01-16'];
const backfill = `backfill --from ${from} --to ${to}`;

/** What a mistake in flattening, corrected since, may have left: one wrong figure in a table. */
const wrongFigures: [table: string, column: string][] = [
  ['fact_token_daily', 'cache_read_tokens'],
  ['fact_token_user_daily', 'billable_tokens'],
  ['fact_token_user_model_daily', 'input_tokens'],
  ['fact_tool_usage_daily', 'invocations'],
  ['fact_autonomy_level_daily', 'share'],
  ['fact_activity_client_daily', 'daily_active_users'],
  ['fact_file_extension_daily', 'file_operations'],
  ['fact_user_daily', 'sessions'],
];

describe.each(bounds)('backfill --force of slices %s', (_where, environment) => {
  test('flattens known answers again and repairs every figure that differs, and no other', async () => {
    await using installation = await install({ users: 60 });
    const { pool } = installation.database;
    await loadInProcess(installation, backfill, { environment });
    for (const [table, column] of wrongFigures) {
      const { rowCount } = await pool.query(
        `update warehouse.${table} set ${column} = coalesce(${column}, 0) + 1
         where ctid = (select max(ctid) from warehouse.${table} where usage_date = '2026-01-15')`,
      );
      expect({ table, rowCount }).toEqual({ table, rowCount: 1 });
    }
    const { code, summary } = await loadInProcess(installation, `${backfill} --force`, { environment });
    expect(await storedWarehouse(pool)).toEqual(
      expectedWarehouse(organization, installation.payloads(from, to)),
    );
    expect({ code, rows: summary.rows }).toMatchObject({
      code: 0,
      rows: { inserted: 0, updated: wrongFigures.length, deleted: 0 },
    });
    expect(summary.slices).toMatchObject({ planned: 15, loaded: 5, unchanged: 10 });
  });

  test('repairs a row under another key, where the tables hold as many rows as they should', async () => {
    await using installation = await install({ users: 60 });
    const { pool } = installation.database;
    await loadInProcess(installation, backfill, { environment });
    await pool.query(`
      insert into warehouse.dim_language (language_name) values ('Never Reported');
      update warehouse.bridge_user_language_daily
        set language_key = (select language_key from warehouse.dim_language where language_name = 'Never Reported')
        where ctid = (select max(ctid) from warehouse.bridge_user_language_daily where usage_date = '2026-01-15')`);
    const { code, summary } = await loadInProcess(installation, `${backfill} --force`, { environment });
    expect(await storedWarehouse(pool)).toEqual(
      expectedWarehouse(organization, installation.payloads(from, to)),
    );
    expect({ code, rows: summary.rows }).toMatchObject({
      code: 0,
      rows: { inserted: 1, updated: 0, deleted: 1 },
    });
  });
});
