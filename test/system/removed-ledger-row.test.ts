import { describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, type Installation, install, organization } from '../support/installation.ts';
import { expectNothingOrphaned, factRows, sliceRow } from '../support/ledger-rows.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { bounds } from '../support/tiny-bounds.ts';

const [from, removed, to] = ['2026-01-14', '2026-01-15', '2026-01-16'];
const backfill = `backfill --from ${from} --to ${to}`;

const ofDay = `usage_date = '${removed}'`;
const removeLedgerRows = `delete from etl.slice where ${ofDay}`;

/** What somebody may have done to the day's rows beside removing it from the ledger. */
const interferences: [string, string][] = [
  ['all its rows are left', ''],
  ['some of its rows are left', `delete from warehouse.fact_user_daily where ${ofDay} and sessions > 2`],
  [
    'some of its rows were altered',
    `update warehouse.fact_tool_usage_daily set invocations = invocations + 1 where ${ofDay};
     update warehouse.fact_token_daily set input_tokens = null where ${ofDay}`,
  ],
  [
    'none of its rows is left',
    `delete from warehouse.fact_user_daily where ${ofDay};
     delete from warehouse.bridge_user_language_daily where ${ofDay};
     delete from warehouse.fact_token_user_model_daily where ${ofDay};
     delete from warehouse.fact_token_user_daily where ${ofDay};
     delete from warehouse.fact_token_model_daily where ${ofDay};
     delete from warehouse.fact_token_daily where ${ofDay}`,
  ],
];

describe.each(bounds)('a day %s whose ledger rows were removed by hand', (_where, environment) => {
  const load = (installation: Installation, commandLine: string) =>
    loadInProcess(installation, commandLine, { environment });

  async function expectHeld(installation: Installation): Promise<void> {
    const { pool } = installation.database;
    const payloads = installation.payloads(from, to);
    expect(await storedWarehouse(pool)).toEqual(expectedWarehouse(organization, payloads));
    for (const { endpoint, day: of, rows } of payloads)
      expect(await sliceRow(pool, endpoint, of)).toMatchObject({
        status: 'loaded',
        row_count: rows.length,
        error: null,
      });
    await expectNothingOrphaned(pool);
  }

  test.each(interferences)('is loaded anew where %s', async (_what, interference) => {
    await using installation = await install({ users: 80 });
    await load(installation, backfill);
    await installation.database.pool.query(`${removeLedgerRows}; ${interference}`);
    const again = await load(installation, backfill);
    expect(again).toMatchObject({ code: 0, summary: { slices: { planned: endpoints.length, failed: 0 } } });
    await expectHeld(installation);
    expect((await load(installation, backfill)).summary.slices.planned).toBe(0);
  });

  test('is loaded anew where the platform has restated it since', async () => {
    await using installation = await install({ users: 80 });
    await load(installation, backfill);
    await installation.database.pool.query(removeLedgerRows);
    changeRows(installation.dataset, 'users', removed, (row, index) =>
      index % 10 === 0 ? undefined : { ...row, sessions: index },
    );
    expect((await load(installation, backfill)).code).toBe(0);
    await expectHeld(installation);
  });

  test('is loaded, and not failed, when a reading fails first and the next answer is refused', async () => {
    let isBroken = false;
    await using installation = await install({
      users: 300,
      fault: ({ path }) =>
        isBroken && path.endsWith('/users') ? { kind: 'status', status: 500 } : undefined,
    });
    const { pool } = installation.database;
    await load(installation, backfill);
    const held = await sliceRow(pool, 'users', removed);
    await pool.query(removeLedgerRows);
    isBroken = true;
    expect(await load(installation, backfill)).toMatchObject({ code: 1, summary: { slices: { failed: 1 } } });
    expect(await sliceRow(pool, 'users', removed)).toMatchObject({
      status: 'loaded',
      row_count: held?.row_count,
      table_rows: held?.table_rows,
      error: null,
      last_error: expect.stringContaining('500'),
    });
    isBroken = false;
    changeRows(installation.dataset, 'users', removed, (row, index) => (index < 5 ? row : undefined));
    expect((await load(installation, `nightly --date ${to}`)).code).toBe(0);
    expect(await sliceRow(pool, 'users', removed)).toMatchObject({
      status: 'loaded',
      row_count: held?.row_count,
      table_rows: held?.table_rows,
      error: null,
      last_error: expect.stringContaining('MAX_DELETED_SHARE'),
    });
  });

  test('keeps its rows where the platform has none for it any more', async () => {
    await using installation = await install({ users: 80 });
    const { pool } = installation.database;
    await load(installation, backfill);
    const before = await factRows(pool);
    await pool.query(removeLedgerRows);
    for (const endpoint of endpoints) installation.dataset.overrideRows(endpoint, day(removed), []);
    expect((await load(installation, backfill)).code).toBe(0);
    expect(await factRows(pool)).toEqual(before);
    await expectNothingOrphaned(pool);
  });
});
