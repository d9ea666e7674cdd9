/** Databases that released versions filled (`npm run release-fixture`) come over whole, and this version works on them. */
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { programFile, startProgram } from '../support/program.ts';

const folder = new URL('../fixtures/released/', import.meta.url);
const fixtures = (await readdir(folder)).filter((name) => name.endsWith('.sql.gz'));
const changelog = await readFile(new URL('../../CHANGELOG.md', import.meta.url), 'utf8');

/** Rows as JSON text, by table; and the columns that they have. */
type Contents = ReadonlyMap<
  string,
  { readonly columns: readonly string[]; readonly rows: readonly string[] }
>;

/** What `migrate` says of its own files. */
const ownTables = ['etl.migration', 'etl.migration_lock', 'etl.view_fingerprint'];

test('every released version has its database here', () => {
  const released = [...changelog.matchAll(/^## (\S+) (?!.*unreleased)/gm)].map(([, version]) => version);
  expect(fixtures.map((name) => /^warehouse-of-(.+)\.sql\.gz$/.exec(name)?.[1]).sort()).toEqual(
    released.sort(),
  );
});

describe.each(fixtures)('%s', (fixture) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createEmptyDatabase();
    const dump = await promisify(gunzip)(await readFile(new URL(fixture, folder)));
    // On a connection of its own: a dump leaves its settings behind.
    const client = new pg.Client({ ...ownNamesOnly, connectionString: database.url });
    await client.connect();
    await client.query(dump.toString());
    await client.end();
  });
  afterEach(() => database.drop());

  /** Every row of the tables in `schemas`; of those in `like` only the columns that stand there. */
  async function contents(schemas: readonly string[], like?: Contents): Promise<Contents> {
    const { rows: tables } = await database.pool.query<{ name: string; columns: string[] }>(
      `select format('%I.%I', table_schema, table_name) as name,
         array_agg(quote_ident(column_name) order by ordinal_position) as columns
       from information_schema.columns
       join information_schema.tables using (table_schema, table_name)
       where table_schema = any($1) and table_type = 'BASE TABLE'
       group by 1 order by 1`,
      [schemas],
    );
    const found = new Map<string, { columns: readonly string[]; rows: string[] }>();
    for (const { name, columns: all } of tables) {
      const columns = like === undefined ? all : (like.get(name)?.columns ?? []);
      if (ownTables.includes(name) || columns.length === 0) continue;
      const { rows } = await database.pool.query<{ row: string }>(
        `select to_jsonb(t)::text as row from (select ${columns} from ${name}) as t`,
      );
      found.set(name, { columns, rows: rows.map(({ row }) => row).sort() });
    }
    return found;
  }

  async function run(command: string) {
    const { code, stdout, stderr } = await startProgram(programFile, `${command} --json`.split(' '), {
      DATABASE_URL: database.url,
    }).ended;
    return { code, stderr, json: JSON.parse(stdout) };
  }

  test('comes over with every row as it was', async () => {
    const before = await contents(['warehouse', 'etl']);
    expect(before.get('warehouse.fact_user_daily')?.rows.length).toBeGreaterThan(10);
    expect(before.get('etl.raw_slice')?.rows.length).toBeGreaterThan(10);
    const migrated = await run('migrate');
    expect(migrated.code, migrated.stderr).toBe(0);
    const after = await contents(['warehouse', 'etl'], before);
    expect([...after.keys()]).toEqual([...before.keys()]);
    for (const [table, { rows }] of before) expect(after.get(table)?.rows, table).toEqual(rows);
    expect(await run('migrate')).toMatchObject({ code: 0 });
  });

  test('is replayed without a change, misses no day, and is kept in order', async () => {
    await run('migrate');
    const before = await contents(['warehouse']);
    const replayed = await run('replay');
    expect(replayed.code, replayed.stderr).toBe(0);
    expect(replayed.json).toMatchObject({
      status: 'succeeded',
      slices: { failed: 0 },
      rows: { inserted: 0, updated: 0, deleted: 0 },
    });
    expect(replayed.json.slices.planned).toBeGreaterThan(20);
    const after = await contents(['warehouse']);
    // A calendar may have got more days.
    for (const [table, { rows }] of before)
      if (table !== 'warehouse.dim_date') expect(after.get(table)?.rows, table).toEqual(rows);
    const status = await run('status --from 2026-02-02 --to 2026-02-06');
    expect(status.json.organizations).toMatchObject([{ complete: true }]);
    expect(await run('maintenance')).toMatchObject({
      code: 0,
      json: { deleted: { runs: expect.any(Number) } },
    });
  });

  test('has its views, with rows', async () => {
    await run('migrate');
    const { rows } = await database.pool.query<{ users: number; days: number }>(
      `select (select count(*)::int from bi.users) as users,
         (select count(*)::int from bi.daily_overview where credits is not null) as days`,
    );
    expect(rows).toEqual([{ users: expect.any(Number), days: expect.any(Number) }]);
    expect(rows[0]?.users).toBeGreaterThan(2);
    expect(rows[0]?.days).toBeGreaterThan(2);
  });
});
