/** `verify --archive` finds whatever somebody altered, added or removed, in every table, and nothing else. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { isReference, type StoredTable } from '../../src/model/table.ts';
import { sources } from '../../src/sources/registry.ts';
import { startOfTests, startWholePlatform } from '../simulator/whole-platform.ts';
import { commandInProcess, type Surroundings } from '../support/commands-in-process.ts';
import {
  createTestDatabase,
  keepForCopies,
  type LoadedDatabase,
  type TestDatabase,
} from '../support/database.ts';
import { sharedInstallation } from '../support/installation.ts';
import { addQuirks, changeRows } from '../support/quirky-payloads.ts';

const check = 'figures_in_archive';
const report = z.object({
  run_id: z.number(),
  checks: z.array(z.object({ name: z.string(), compared: z.number(), contradictions: z.number() })),
  failures: z.array(z.object({ check: z.string(), part: z.string(), reason: z.string() })),
  archive: z.object({ slices_compared: z.number(), slices_not_compared: z.number() }),
});

/** What comparing with the archive found: every contradiction, and how many slices were compared. */
async function verifyArchive(
  surroundings: Surroundings & { readonly database: TestDatabase },
  commandLine = 'verify --archive',
  clock?: () => number,
) {
  const { json } = await commandInProcess(surroundings, commandLine, clock === undefined ? {} : { clock });
  const { run_id, checks, failures, archive } = report.parse(json);
  const { rows } = await surroundings.database.pool.query<{
    endpoint: string;
    usage_date: string | null;
    expected: string | null;
    actual: string | null;
    detail: string;
  }>(
    `select endpoint, usage_date::text, expected::text, actual::text, detail from etl.check_result
     where run_id = $1 and check_name = $2 and verdict = 'contradiction' order by check_result_id`,
    [run_id, check],
  );
  expect(checks.find(({ name }) => name === check)?.contradictions).toBe(rows.length);
  return { found: rows, archive, failures: failures.filter((failure) => failure.check === check) };
}

/** Changes rows by hand, one statement after another; keys need not lead anywhere, as in newer versions of Postgres. */
async function byHand({ pool }: TestDatabase, statement: string): Promise<Record<string, unknown>[]> {
  const client = await pool.connect();
  try {
    const results = [
      await client.query<Record<string, unknown>>(`set session_replication_role = replica; ${statement}`),
    ].flat();
    await client.query('reset session_replication_role');
    return results.at(-1)?.rows ?? [];
  } finally {
    client.release();
  }
}

const tables = sources.flatMap((source) =>
  flattenOf(source).tables.map((table) => ({ source, table, scope: Object.keys(source.partitioning.scope) })),
);
const numbers = ['bigint', 'integer', 'numeric', 'double precision'];
const keyColumns = ({ keys }: StoredTable) => keys.map(({ column }) => column);

describe('what was loaded of every source', () => {
  let loaded: LoadedDatabase;
  let database: TestDatabase;
  let home: string;
  let platform: Awaited<ReturnType<typeof startWholePlatform>>;
  let surroundings: Surroundings & { database: TestDatabase };
  const clock = () => startOfTests;
  const run = (commandLine: string) => commandInProcess(surroundings, commandLine, { clock });
  const verifyAll = () => verifyArchive(surroundings, 'verify --archive', clock);

  function workOn(copy: TestDatabase): void {
    surroundings = {
      database: copy,
      environment: {
        API_BASE_URL: platform.url,
        APP_BASE_URL: platform.url,
        API_KEY: 'key',
        DATABASE_URL: copy.url,
        DATA_DIR: home,
        SESSION_TEXT: 'keep',
        REQUESTS_PER_SECOND: '1000',
      },
    };
  }

  beforeAll(async () => {
    database = await createTestDatabase();
    home = await mkdtemp(join(tmpdir(), 'usage-etl-verify-archive-'));
    platform = await startWholePlatform();
    workOn(database);
    await run('sessions add session_000000001 session_000000002');
    expect(await run('backfill --from 2026-03-01')).toMatchObject({ code: 0 });
    expect(await run('sessions load')).toMatchObject({ code: 0 });
    loaded = await keepForCopies(database);
  });

  afterAll(async () => {
    await platform[Symbol.asyncDispose]();
    await loaded.drop();
    await rm(home, { recursive: true, force: true });
  });

  beforeEach(async () => {
    database = await loaded.copy();
    workOn(database);
  });

  afterEach(() => database.drop());

  test('is what the archive gives', async () => {
    const { found, archive, failures } = await verifyAll();
    expect({ found, failures }).toEqual({ found: [], failures: [] });
    expect(archive.slices_not_compared).toBe(0);
    expect(archive.slices_compared).toBeGreaterThan(45);
    for (const { table } of tables) {
      const rows = await byHand(database, `select from warehouse.${table.name} limit 1`);
      expect(rows, table.name).toHaveLength(1);
    }
  });

  test.each([
    ['halved', 'x / 2'],
    ['doubled', 'x * 2'],
    ['one larger', 'x + 1'],
    ['null', 'null'],
    ['zero', '0'],
  ])('is told from each figure that is %s, with table, key and column', async (_, changed) => {
    const altered: { where: string; keys: string[]; expected: number; actual: number | null }[] = [];
    for (const { table } of tables)
      for (const { column, type } of table.values.filter((value) => numbers.includes(value.type))) {
        const becomes = changed.replace('x', `f.${column}`);
        const [row] = await byHand(
          database,
          `with chosen as (
            select ctid, ${column} as before from warehouse.${table.name} as f
            where (${becomes})::${type} is distinct from ${column} order by abs(${column}) desc nulls last limit 1
          )
          update warehouse.${table.name} as f set ${column} = ${becomes} from chosen where f.ctid = chosen.ctid
          returning chosen.before as expected, f.${column} as actual${keyColumns(table)
            .map((key) => `, f.${key}`)
            .join('')}`,
        );
        if (row === undefined) continue;
        altered.push({
          where: `${table.name}.${column}`,
          keys: keyColumns(table).map((key) => `${key} ${row[key]}`),
          expected: Number(row.expected),
          actual: row.actual === null ? null : Number(row.actual),
        });
      }
    expect(altered.length).toBeGreaterThan(40);
    const { found } = await verifyAll();
    for (const { where, keys, expected, actual } of altered) {
      const named = found.filter(({ detail }) => new RegExp(`^${where}( of |:)`).test(detail));
      expect(named, where).toHaveLength(1);
      for (const key of keys) expect(named[0]?.detail).toContain(key);
      expect(Number(named[0]?.expected), where).toBeCloseTo(expected, 9);
      expect(named[0]?.actual === null ? null : Number(named[0]?.actual), where).toBe(actual);
    }
    expect(found).toHaveLength(altered.length);
  });

  test('is told from each other value and each reference that was altered', async () => {
    const others: Readonly<Record<string, string>> = {
      text: "x || ' altered'",
      boolean: 'not x',
      date: 'x + 1',
      timestamptz: "x + interval '1 second'",
      uuid: "'00000000-0000-0000-0000-000000000000'",
    };
    const altered: string[] = [];
    for (const { table } of tables)
      for (const column of [...table.references, ...table.values]) {
        const becomes = isReference(column) ? 'x + 1' : others[column.type];
        if (becomes === undefined) continue;
        const value = becomes.replace('x', column.column);
        const rows = await byHand(
          database,
          `update warehouse.${table.name} set ${column.column} = ${value}
           where ctid = (select ctid from warehouse.${table.name} where ${column.column} is not null limit 1) returning 1`,
        );
        if (rows.length > 0) altered.push(`${table.name}.${column.column}`);
      }
    expect(altered.length).toBeGreaterThan(30);
    const { found } = await verifyAll();
    expect(found.map(({ detail }) => detail.split(/ of |:/)[0]).sort()).toEqual(altered.sort());
  });

  test('is told from rows that were removed, and from rows that were added', async () => {
    for (const { table, scope } of tables) {
      const columns = [...scope, ...keyColumns(table)];
      // A row of a key that nobody has; of a table with one row a slice, one of the slice before.
      const last = table.keys.at(-1);
      const another = columns.map((column) => {
        if (column !== last?.column) return column;
        if (isReference(last)) return '987654321';
        return last.type === 'uuid'
          ? "'00000000-0000-0000-0000-000000000001'"
          : last.type === 'text'
            ? `${column} || '!'`
            : '987654';
      });
      await byHand(
        database,
        `create temporary table removed_row as select * from warehouse.${table.name} order by ${columns.join(', ')} limit 1;
        delete from warehouse.${table.name} as f using removed_row as r where ${columns.map((column) => `f.${column} = r.${column}`).join(' and ')};
        ${last === undefined ? '' : `insert into warehouse.${table.name} (org_key, ${columns.join(', ')}) select org_key, ${another.join(', ')} from removed_row;`}
        drop table removed_row`,
      );
    }
    const { found } = await verifyAll();
    const expected = tables.flatMap(({ table: { name, keys } }) => [
      `${name}: no row`,
      ...(keys.length === 0 ? [] : [`${name}: a row`]),
    ]);
    expect(found.map(({ detail }) => detail.split(/ of |, which/)[0]).sort()).toEqual(expected.sort());
    expect(await run('replay')).toMatchObject({ code: 0 });
    expect(await verifyAll()).toMatchObject({ found: [], failures: [] });
  });

  test('is told from a row that was moved to another day or to another organization', async () => {
    await byHand(
      database,
      "update warehouse.fact_tool_daily set usage_date = '2026-02-20' where usage_date = '2026-03-05'",
    );
    await byHand(
      database,
      "update warehouse.fact_productivity_daily set org_key = 99 where usage_date = '2026-03-06'",
    );
    const { found } = await verifyAll();
    expect(found.map(({ usage_date, detail }) => [usage_date, detail])).toEqual([
      ['2026-03-06', 'fact_productivity_daily: no row, which the raw archive gives'],
      ['2026-03-05', 'fact_tool_daily: no row, which the raw archive gives'],
    ]);
  });

  test('is told from what lost its row of a dimension, and no such row is made', async () => {
    const [tool] = await byHand(
      database,
      `delete from warehouse.dim_tool where tool_key = (select min(tool_key) from warehouse.fact_tool_usage_daily)
       returning tool_key, tool_name, is_parsing_artifact`,
    );
    const { found } = await verifyAll();
    expect(found.length).toBeGreaterThan(0);
    expect(new Set(found.map(({ detail }) => detail))).toEqual(
      new Set([
        `fact_tool_usage_daily: no row of tool_key unknown (${tool?.tool_name}), which the raw archive gives`,
        `fact_tool_usage_daily: a row of tool_key ${tool?.tool_key}, which the raw archive does not give`,
      ]),
    );
    expect(
      await byHand(database, `select from warehouse.dim_tool where tool_name = '${tool?.tool_name}'`),
    ).toEqual([]);
  });
});

const installation = await sharedInstallation({ users: 120 });

describe('a warehouse with a history', () => {
  const [from, to] = ['2026-01-14', '2026-01-21'];
  const run = (commandLine: string, environment: Readonly<Record<string, string>> = {}) =>
    commandInProcess(installation, commandLine, { environment });
  const compare = (commandLine = `verify --archive --from ${from} --to ${to}`) =>
    verifyArchive(installation, commandLine);

  beforeAll(async () => {
    const { dataset } = installation;
    addQuirks(dataset);
    expect(await run(`backfill --from ${from} --to ${to}`)).toMatchObject({ code: 0 });
    // Restated; a record that cannot be read any more, and a breakdown that is missing, keep their rows.
    changeRows(dataset, 'users', '2026-01-15', (row, index) => {
      if (index === 0) return { ...row, sessions: 'many' };
      return index === 1 ? undefined : { ...row, sessions: 77 };
    });
    changeRows(dataset, 'tokens', '2026-01-17', ({ by_model, ...row }) => row);
    expect(await run(`backfill --from ${from} --to ${to} --force`)).toMatchObject({
      code: 0,
      json: { rows: { rejected: 1 } },
    });
  });

  test('contradicts its archive in nothing, whatever was restated, rejected, forgotten or withheld', async () => {
    const whole = { found: [], failures: [], archive: { slices_compared: 40, slices_not_compared: 0 } };
    expect(await compare()).toEqual(whole);
    // In chunks as in one piece.
    expect(
      await verifyArchive(
        { ...installation, environment: { ...installation.environment, CHUNK_BYTES: '2000' } },
        `verify --archive --from ${from} --to ${to}`,
      ),
    ).toEqual(whole);
    const { rows } = await installation.database.pool.query<{ user_id: string }>(
      `select user_id from warehouse.dim_user join warehouse.fact_user_daily using (user_key)
       group by user_id order by count(*) desc limit 2`,
    );
    const [first, second] = rows;
    expect(await run(`forget-user ${first?.user_id}`)).toMatchObject({ code: 0 });
    expect(await compare()).toEqual(whole);
    await run(`nightly --date ${to}`, { USER_EMAIL: 'none' });
    expect(await compare()).toEqual(whole);
    // Somebody whose name is known, and not yet taken out.
    await run(`forget-user ${second?.user_id}`);
    await installation.database.pool.query('delete from etl.forgotten_in');
    expect(await compare()).toEqual(whole);
  });

  test('writes nothing into the warehouse while it is compared', async () => {
    const written = async () =>
      (
        await installation.database.pool.query<{ table: string; xmin: string }>(
          `select c.relname as "table", (xpath('/row/x/text()', query_to_xml(format(
            'select string_agg(t.ctid::text || t.xmin::text, '' '' order by t.ctid) as x from %s as t', c.oid::regclass), false, true, '')))[1]::text as xmin
           from pg_class as c where c.relnamespace = 'warehouse'::regnamespace and c.relkind = 'r' order by 1`,
        )
      ).rows;
    await byHand(
      installation.database,
      "update warehouse.fact_activity_daily set sessions = 1 where usage_date = '2026-01-16'",
    );
    const before = await written();
    const { found } = await compare();
    expect(found).toMatchObject([
      {
        endpoint: 'activity',
        usage_date: '2026-01-16',
        actual: '1',
        detail: 'fact_activity_daily.sessions: expected as the raw archive gives it',
      },
    ]);
    expect(await written()).toEqual(before);
    const strict = await run(`verify --archive --strict --from 2026-01-16 --to 2026-01-16`);
    expect(strict.code).toBe(1);
    await run('replay');
  });

  test('says how many slices it has no archive of, and which archives are not whole', async () => {
    const { pool } = installation.database;
    await pool.query("delete from etl.raw_slice where usage_date = '2026-01-16' and endpoint = 'tools'");
    await pool.query(
      "update etl.slice set raw_chunks = null, raw_rows = null where usage_date = '2026-01-18'",
    );
    await pool.query(
      "update etl.slice set raw_rows = raw_rows + 1 where usage_date = '2026-01-19' and endpoint = 'users'",
    );
    const { found, archive, failures } = await compare();
    expect(found).toEqual([]);
    expect(archive).toEqual({ slices_compared: 33, slices_not_compared: 6 });
    expect(failures).toMatchObject([{ check, part: 'users 2026-01-19' }]);
    expect(failures[0]?.reason).toContain('is not whole');
  });
});
