/** Whatever is in the registry, its declarations, its sample and the migrated database agree. */

import type pg from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { parseJson } from '../../src/model/json.ts';
import { type Dimension, isReference, namedColumns } from '../../src/model/table.ts';
import { sources } from '../../src/sources/registry.ts';
import { attributeSetsOf } from '../../src/warehouse/load/attributes.ts';
import { sharedTestDatabase } from '../support/database.ts';
import { flattenRow } from '../support/flat-rows.ts';
import { sampleRows, sampleText } from '../support/samples.ts';

let columns: Map<string, { type: string; nullable: boolean; generated: boolean }>;
let primaryKeys: Map<string, string[]>;
let foreignKeys: Map<string, string>;

const database = await sharedTestDatabase();

beforeAll(async () => {
  columns = await readColumns(database.pool);
  primaryKeys = new Map(
    (
      await database.pool.query<{ table_name: string; key: string[] }>(`
        select conrelid::regclass::text as table_name,
          (select array_agg(a.attname::text order by position)
           from unnest(conkey) with ordinality as k (attnum, position)
           join pg_attribute as a on a.attrelid = conrelid and a.attnum = k.attnum) as key
        from pg_constraint where contype = 'p'`)
    ).rows.map(({ table_name, key }) => [table_name, key]),
  );
  foreignKeys = new Map(
    (
      await database.pool.query<{ from_column: string; to_column: string }>(`
        select conrelid::regclass || '.' || f.attname as from_column, confrelid::regclass || '.' || t.attname as to_column
        from pg_constraint
        join pg_attribute as f on f.attrelid = conrelid and f.attnum = conkey[1]
        join pg_attribute as t on t.attrelid = confrelid and t.attnum = confkey[1]
        where contype = 'f'`)
    ).rows.map(({ from_column, to_column }) => [from_column, to_column]),
  );
});

/** A type as the catalog writes it. */
const writtenType = (type: string) => (type === 'timestamptz' ? 'timestamp with time zone' : type);

async function readColumns(pool: pg.Pool) {
  const { rows } = await pool.query<{ name: string; type: string; nullable: boolean; generated: boolean }>(`
    select attrelid::regclass || '.' || attname as name, format_type(atttypid, atttypmod) as type,
      not attnotnull as nullable, attgenerated <> '' or attidentity <> '' as generated
    from pg_attribute as a join pg_class as c on c.oid = a.attrelid
    where c.relnamespace = 'warehouse'::regnamespace and c.relkind = 'r' and attnum > 0 and not attisdropped`);
  return new Map(rows.map(({ name, ...column }) => [name, column]));
}

describe.each(sources)('$name', (source) => {
  const { name, partitioning } = source;
  const flatten = flattenOf(source);
  const mainTable = flatten.tables[0];
  const scope = Object.entries(partitioning.scope);

  it('has a sample that is a whole answer, and gives at least one row for every table', async () => {
    const meta = source.envelope.meta?.field === 'meta' ? { meta: { org_id: expect.any(String) } } : {};
    expect(parseJson(await sampleText(name)).value).toMatchObject(meta);
    const counts = new Map(flatten.tables.map((table) => [table.name, 0]));
    for (const row of await sampleRows(name)) {
      const { rows, kept, rejected, drift } = flattenRow(name, row);
      expect({ kept, rejected, drift }).toEqual({ kept: [], rejected: [], drift: [] });
      rows.forEach((found, index) => {
        const table = flatten.tables[index]?.name ?? '';
        counts.set(table, (counts.get(table) ?? 0) + found.length);
      });
    }
    expect([...counts].filter(([, count]) => count === 0)).toEqual([]);
  });

  it('says the slice of each sample row where the registry says that it stands', async () => {
    const { keyField } = partitioning;
    if (keyField === undefined) return;
    for (const row of await sampleRows(name)) expect(partitioning.isKey(String(row[keyField]))).toBe(true);
  });

  describe.each(flatten.tables)('$name', (table) => {
    const qualified = `warehouse.${table.name}`;
    // A text may have any length: its digest is unique in its place.
    const keys = table.keys.map((key) =>
      !isReference(key) && key.type === 'text' ? `${key.column}_digest` : key.column,
    );

    it('has the declared primary key, organization and scope first', () => {
      const leading = scope.map(([column, from]) => (from === 'slice_key' ? `${column}_digest` : column));
      expect(primaryKeys.get(qualified)).toEqual(['org_key', ...leading, ...keys]);
    });

    it('has every declared column with the type of its field, and no other', () => {
      const declared = new Map<string, string>([
        ['org_key', 'integer'],
        ...scope.map(([column, from]): [string, string] => [column, from === 'slice_key' ? 'text' : 'date']),
        ['loaded_at', 'timestamp with time zone'],
      ]);
      for (const column of [...namedColumns(table), ...table.values])
        declared.set(column.column, isReference(column) ? 'integer' : writtenType(column.type));
      for (const column of Object.keys(table.vanished === 'delete' ? {} : table.vanished))
        declared.set(column, 'boolean');
      const stored = [...columns].filter(
        ([column, { generated }]) => column.startsWith(`${qualified}.`) && !generated,
      );
      expect(new Map(stored.map(([column, { type }]) => [column.slice(qualified.length + 1), type]))).toEqual(
        declared,
      );
    });

    it('lets figures and attributes be null, and nothing else', () => {
      const mayBeNull = new Set([...table.references, ...table.values].map(({ column }) => column));
      for (const [column, { nullable }] of columns) {
        // What is shown of a text is null where that is.
        if (!column.startsWith(`${qualified}.`) || column.endsWith('_shown')) continue;
        expect(nullable, column).toBe(mayBeNull.has(column.slice(qualified.length + 1)));
      }
    });

    it('declares a foreign key for each reference', () => {
      expect(foreignKeys.get(`${qualified}.org_key`)).toBe('warehouse.dim_org.org_key');
      for (const [column] of scope.filter(([, from]) => from === 'usage_date'))
        expect(foreignKeys.get(`${qualified}.${column}`), column).toBe('warehouse.dim_date.date_day');
      for (const { column, dimension } of namedColumns(table).filter(isReference))
        expect(foreignKeys.get(`${qualified}.${column}`), column).toBe(
          `warehouse.${dimension.table}.${dimension.key}`,
        );
    });

    it('begins with the keys of the table that it is a breakdown of', () => {
      const inherited = mainTable?.keys.map(({ column }) => column) ?? [];
      expect(table.keys.map(({ column }) => column).slice(0, inherited.length)).toEqual(inherited);
    });
  });
});

describe('every dimension', () => {
  const dimensions = new Map<string, Dimension>(
    sources.flatMap((source) =>
      flattenOf(source).tables.flatMap((table) =>
        namedColumns(table)
          .filter(isReference)
          .map(({ dimension }) => [dimension.table, dimension] as const),
      ),
    ),
  );

  it.each([...dimensions.values()])('$table has its key, its natural key and its digest', (dimension) => {
    const table = `warehouse.${dimension.table}`;
    expect(primaryKeys.get(table)).toEqual([dimension.key]);
    for (const column of dimension.naturalKey)
      expect(columns.get(`${table}.${column}`), column).toMatchObject({ type: 'text', nullable: false });
    expect(columns.get(`${table}.natural_key_digest`)).toMatchObject({ generated: true });
    expect(columns.has(`${table}.org_key`)).toBe(dimension.perOrganization);
    for (const { attributes, dateColumn, endpointColumn } of attributeSetsOf(dimension))
      for (const column of [...attributes.map((attribute) => attribute.column), dateColumn, endpointColumn])
        expect(columns.get(`${table}.${column}`), column).toMatchObject({ nullable: true });
  });

  it('is one object, so that its keys are looked up once', () => {
    for (const source of sources)
      for (const table of flattenOf(source).tables)
        for (const { dimension } of namedColumns(table).filter(isReference))
          expect(dimensions.get(dimension.table)).toBe(dimension);
  });
});

const figureTypes = ['bigint', 'numeric', 'double precision'];

describe('the other way round', () => {
  it('every fact and bridge belongs to exactly one source', () => {
    const stored = new Set([...columns.keys()].map((column) => column.split('.')[1] ?? ''));
    const facts = [...stored].filter((table) => /^(fact|bridge)_/.test(table));
    const declared = sources.flatMap((source) => flattenOf(source).tables.map(({ name }) => name));
    expect(declared.sort()).toEqual(facts.sort());
  });

  it('every table, view and column of warehouse, bi and etl says what it is', async () => {
    const { rows } = await database.pool.query<{ name: string }>(`
      select c.oid::regclass || coalesce('.' || a.attname, '') as name
      from pg_class as c
      left join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace in ('warehouse'::regnamespace, 'bi'::regnamespace, 'etl'::regnamespace)
        and c.relkind in ('r', 'v', 'm', 'p')
        and (coalesce(col_description(c.oid, a.attnum), '') = '' or coalesce(obj_description(c.oid, 'pg_class'), '') = '')
      order by 1`);
    expect(rows.map(({ name }) => name)).toEqual([]);
  });

  it('every figure that must not be added over days says so', async () => {
    for (const source of sources)
      for (const table of flattenOf(source).tables)
        for (const { column, whenDuplicate, type } of table.values) {
          if (!figureTypes.includes(type)) continue;
          const { rows } = await database.pool.query<{ comment: string }>(
            `select col_description($1::regclass, attnum) as comment from pg_attribute
            where attrelid = $1::regclass and attname = $2`,
            [`warehouse.${table.name}`, column],
          );
          expect(/not additive/i.test(rows[0]?.comment ?? ''), `${table.name}.${column}`).toBe(
            whenDuplicate === 'last',
          );
        }
  });
});
