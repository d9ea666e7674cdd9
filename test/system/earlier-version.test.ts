import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { earlierDataset, earlierOrganizations, earlierRange } from '../support/earlier-warehouse.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { servedRows } from '../support/installation.ts';
import { programFile, startProgram } from '../support/program.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const dump = new URL('../fixtures/warehouse-at-migration-0004.sql', import.meta.url);
const range = `--from ${earlierRange.from} --to ${earlierRange.to}`;
/** The only slice of the first organization that nothing is held of because it failed. */
const missing = { endpoint: 'productivity', day: day('2026-02-06') };

/** A row of `etl.slice` or another table, with the columns that it has. */
type Row = Readonly<Record<string, unknown>>;
/** Rows as JSON text, by table and what `columns` chose of them. */
type Contents = ReadonlyMap<
  string,
  { readonly columns: readonly string[]; readonly rows: readonly string[] }
>;

describe('a database that version 0.1.0 filled', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    // The dump empties the search path of its session.
    const client = new pg.Client({ ...ownNamesOnly, connectionString: database.url });
    await client.connect();
    await client.query(await readFile(dump, 'utf8'));
    await client.end();
  });

  afterEach(() => database.drop());

  async function query(text: string): Promise<Row[]> {
    return (await database.pool.query<Row>(text)).rows;
  }

  /** The ledger as text, by organization, endpoint and key of the slice. */
  async function slices(): Promise<ReadonlyMap<string, Row>> {
    const rows = await query('select to_jsonb(s) as slice from etl.slice as s order by 1');
    return new Map(
      rows.map(({ slice }) => {
        const row = Object.fromEntries(Object.entries(slice ?? {}));
        return [[row.org_key, row.endpoint, row.slice_key].join(' '), row];
      }),
    );
  }

  /** Every row of the tables in `schemas`; only the columns of `like`, where that is given. */
  async function contents(schemas: readonly string[], like?: Contents): Promise<Contents> {
    const { rows: tables } = await database.pool.query<{ name: string; columns: string[] }>(
      `select format('%I.%I', table_schema, table_name) as name,
         array_agg(column_name::text order by ordinal_position) as columns
       from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_schema = any($1) and table_type = 'BASE TABLE'
       group by 1`,
      [schemas],
    );
    const found = new Map<string, { columns: readonly string[]; rows: string[] }>();
    for (const { name, columns: all } of tables) {
      const columns = like === undefined ? all : (like.get(name)?.columns ?? []);
      if (columns.length === 0) continue;
      const rows = await query(`select to_jsonb(t)::text as row from (select ${columns} from ${name}) as t`);
      found.set(name, { columns, rows: rows.map(({ row }) => String(row)).sort() });
    }
    return found;
  }

  async function run(command: string, environment: Readonly<Record<string, string>> = {}) {
    const ended = await startProgram(programFile, `${command} --json`.split(' '), {
      DATABASE_URL: database.url,
      ...environment,
    }).ended;
    return { ...ended, json: JSON.parse(ended.stdout) };
  }

  /** Every table of the star is as it was; a dimension, and one slice of a fact, may have got more rows. */
  async function expectNoRowLostOrChanged(before: Contents): Promise<void> {
    for (const [table, { rows }] of await contents(['warehouse'], before)) {
      const earlier = before.get(table)?.rows ?? [];
      expect(rows, table).toEqual(expect.arrayContaining([...earlier]));
      const added = rows.filter((row) => !earlier.includes(row));
      if (!table.startsWith('warehouse.dim_'))
        expect(
          added.filter((row) => !row.includes(`"usage_date": "${missing.day}"`)),
          table,
        ).toEqual([]);
    }
  }

  test('keeps every row, and of the ledger all that is not said otherwise', async () => {
    const schemas = ['warehouse', 'etl'];
    const changed = ['etl.slice', 'etl.migration'];
    const before = await contents(schemas);
    const slicesBefore = await slices();
    expect((await run('migrate')).code).toBe(0);
    for (const [table, { rows }] of await contents(schemas, before))
      if (!changed.includes(table)) expect(rows, table).toEqual(before.get(table)?.rows);
    const after = await slices();
    expect([...after.keys()].sort()).toEqual([...slicesBefore.keys()].sort());
    for (const [slice, row] of slicesBefore)
      if (row.status !== 'failed') expect(after.get(slice), slice).toMatchObject(row);
  });

  test('has slices that failed over rows they hold loaded, with the error and its time', async () => {
    const before = await slices();
    const [{ finished_at } = {}] = await query(
      "select to_jsonb(finished_at) as finished_at from etl.run where arguments ->> 'force' = 'true'",
    );
    await migrate(database.url);
    const after = await slices();
    const held = ['1 users 2026-02-04', '1 users 2026-02-05'];
    for (const slice of held) {
      const { error, row_count, table_rows } = before.get(slice) ?? {};
      expect(error).toBeTypeOf('string');
      expect(after.get(slice)).toMatchObject({
        status: 'loaded',
        error: null,
        last_error: error,
        last_failed_at: finished_at,
        row_count,
        table_rows,
        // The next answer replaces the rejected rows that the failure left, so it must not be taken for known.
        content_hash: null,
        source_hash: null,
      });
    }
    const others = [...after].filter(([slice]) => !held.includes(slice)).map(([, row]) => row);
    for (const slice of others) expect(slice).toMatchObject({ last_error: null, last_failed_at: null });
    expect(others.filter(({ status }) => status === 'failed')).toEqual([
      expect.objectContaining({
        endpoint: missing.endpoint,
        slice_key: missing.day,
        row_count: 0,
        error: expect.stringContaining('500'),
      }),
    ]);
  });

  test.each([
    ['when its run began', 'update etl.run set finished_at = null', 'r.started_at'],
    ['when the platform last answered', 'update etl.slice set run_id = null', 's.fetched_at'],
    ['now', 'update etl.slice set run_id = null, fetched_at = null', 'now()'],
  ])('has it failed %s, where nothing later is known', async (_when, change, expected) => {
    await database.pool.query(change);
    const of = "s.endpoint = 'users' and s.usage_date = '2026-02-04'";
    const [{ at } = {}] = await query(
      `select ${expected} as at from etl.slice as s left join etl.run as r using (run_id) where ${of}`,
    );
    await migrate(database.url);
    const [slice] = await query(`select last_failed_at from etl.slice as s where ${of}`);
    if (expected === 'now()') expect(Number(slice?.last_failed_at)).toBeGreaterThanOrEqual(Number(at));
    else expect(slice?.last_failed_at).toEqual(at);
  });

  test('holds a slice whose rows are in another than its main table', async () => {
    await database.pool.query("update etl.slice set row_count = 0 where status = 'failed'");
    await migrate(database.url);
    expect((await slices()).get('1 users 2026-02-04')).toMatchObject({ status: 'loaded', row_count: 0 });
  });

  test('knows how many chunks and records of each slice are archived', async () => {
    const addChunk = `insert into etl.raw_slice
      select org_key, endpoint, slice_key, 1, usage_date, 7, payload, raw_bytes, run_id from etl.raw_slice
      where org_key = 1 and endpoint = 'tokens' and slice_key = '2026-02-02'`;
    await database.pool.query(addChunk);
    await migrate(database.url);
    const counted = await query(`
      select endpoint, slice_key, raw_chunks, raw_rows::int, count(r.chunk)::int as chunks, sum(r.row_count)::int as records
      from etl.slice left join etl.raw_slice as r using (org_key, endpoint, slice_key)
      group by org_key, endpoint, slice_key`);
    expect(counted.filter(({ raw_chunks }) => raw_chunks !== null)).toHaveLength(31);
    for (const { raw_chunks, raw_rows, chunks, records } of counted)
      expect([raw_chunks, raw_rows]).toEqual(chunks === 0 ? [null, null] : [chunks, records]);
    expect(counted).toContainEqual(
      expect.objectContaining({ endpoint: 'tokens', slice_key: '2026-02-02', raw_chunks: 2, raw_rows: 8 }),
    );
  });

  test('does not take an archive for whole that has lost a chunk', async () => {
    const of = (usageDate: string) => `org_key = 1 and endpoint = 'users' and slice_key = '${usageDate}'`;
    await database.pool.query(`
      update etl.raw_slice set chunk = 1 where ${of('2026-02-02')};
      update etl.raw_slice set row_count = 1 where ${of('2026-02-06')}`);
    await migrate(database.url);
    expect((await slices()).get('1 users 2026-02-02')).toMatchObject({ raw_chunks: 2 });
    expect((await slices()).get('1 users 2026-02-06')).toMatchObject({ row_count: 8, raw_rows: 8 });
  });

  test('remembers the earliest day of each organization and endpoint as asked for', async () => {
    await migrate(database.url);
    expect(
      await query('select org_key, endpoint, first_day::text from etl.asked_range order by 1, 2'),
    ).toEqual([
      ...['activity', 'productivity', 'tokens', 'tools', 'users'].map((endpoint) => ({
        org_key: 1,
        endpoint,
        first_day: '2026-02-02',
      })),
      { org_key: 2, endpoint: 'tokens', first_day: '2026-02-05' },
      { org_key: 2, endpoint: 'users', first_day: '2026-02-05' },
    ]);
  });

  test('loses and changes no row when it is replayed, read again and asked for its status', async () => {
    const before = await contents(['warehouse']);
    await migrate(database.url);

    const replayed = await run(`replay ${range}`);
    expect(replayed).toMatchObject({
      code: 0,
      json: {
        status: 'succeeded',
        slices: { planned: 31, unchanged: 31, failed: 0 },
        rows: { inserted: 0, updated: 0, deleted: 0 },
      },
    });
    await expectNoRowLostOrChanged(before);
    expect(await query("select run_id::int from etl.run where status = 'running'")).toEqual([]);

    const coverage = (await run(`status ${range}`)).json.organizations[0];
    expect(coverage.endpoints).toMatchObject([
      { endpoint: 'tokens', days_loaded: 6, failed: [] },
      { endpoint: 'tools', days_loaded: 6, failed: [] },
      // Other endpoints have rows of the day that was believed to be empty.
      { endpoint: 'activity', days_loaded: 5, days_empty: 0, days_pending: 1, failed: [] },
      { endpoint: 'productivity', days_loaded: 4, days_pending: 1, failed: [missing.day] },
      { endpoint: 'users', days_loaded: 6, failed: [] },
    ]);

    const dataset = earlierDataset('first');
    const simulator = await startSimulator({
      dataset,
      organizationId: earlierOrganizations.first,
      apiKeys: { key: 'owner' },
    });
    const nightly = await run(`nightly --date ${earlierRange.to}`, {
      API_BASE_URL: simulator.url,
      API_KEY: 'key',
      REQUESTS_PER_SECOND: '1000',
      LOOKBACK_DAYS: '5',
    });
    await simulator.close();
    expect(nightly).toMatchObject({
      code: 0,
      json: { status: 'succeeded', slices: { loaded: 1, failed: 0 }, rows: { updated: 0, deleted: 0 } },
    });
    await expectNoRowLostOrChanged(before);
    const expected = expectedWarehouse(earlierOrganizations.first, [
      { ...missing, rows: servedRows(dataset, missing.endpoint, missing.day) },
    ]);
    const stored = await storedWarehouse(database.pool);
    for (const table of ['fact_productivity_daily', 'fact_file_extension_daily', 'fact_language_daily'])
      expect(stored[table]?.filter(({ usage_date }) => usage_date === missing.day)).toEqual(expected[table]);
    expect(
      await query(
        'select endpoint, usage_date::text, count(*)::int from etl.rejected_row group by 1, 2 order by 1',
      ),
    ).toEqual([
      { endpoint: 'tools', usage_date: '2026-02-04', count: 1 },
      { endpoint: 'users', usage_date: '2026-02-03', count: 1 },
    ]);
  });
});
