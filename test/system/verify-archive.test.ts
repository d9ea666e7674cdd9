/** `verify --archive` finds whatever somebody altered, added or removed, in every table, and nothing else. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { isReference, type StoredTable } from '../../src/model/table.ts';
import { sources } from '../../src/sources/registry.ts';
import { startOfTests, startWholePlatform } from '../simulator/whole-platform.ts';
import { byHand, verifyArchive } from '../support/archive-verification.ts';
import { commandInProcess, type Surroundings } from '../support/commands-in-process.ts';
import {
  createTestDatabase,
  keepForCopies,
  type LoadedDatabase,
  type TestDatabase,
} from '../support/database.ts';

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
