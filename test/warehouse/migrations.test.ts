import { randomBytes } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { ConfigurationError, WarehouseError } from '../../src/model/errors.ts';
import { migrationStatus, pendingMigrations } from '../../src/warehouse/migrations/migration-status.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { sqlDirectory as ownSqlDirectory } from '../../src/warehouse/sql-files.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../support/database.ts';
import { failureOf as failureOfKind, setUpMigratedFiles } from '../support/migrated-files.ts';

const basicFiles = {
  'migrations/0001_create_a.sql': `
    create table warehouse.a (a_key integer primary key);
    insert into warehouse.a values (1);`,
  'migrations/0002_create_b.sql': 'create table warehouse.b (b_key integer primary key);',
  'migrations/README.md': 'not a migration',
  'views/a_list.sql': 'create or replace view warehouse.a_list as select a_key from warehouse.a;',
};

const files = setUpMigratedFiles(basicFiles);
const { write } = files;
let sqlDirectory: string;
let database: TestDatabase;

beforeEach(() => {
  ({ sqlDirectory, database } = files);
});

const failureOf = (work: Promise<unknown>) => failureOfKind(work, WarehouseError);
const refusalOf = (work: Promise<unknown>) => failureOfKind(work, ConfigurationError);

describe('migrate', () => {
  test('applies every file once, in the order of the names', async () => {
    expect(await migrate(database.url, { sqlDirectory })).toEqual({
      applied: ['0001_create_a', '0002_create_b'],
      alreadyApplied: [],
      views: { files: 1, changed: ['a_list'], dropped: [] },
      warnings: [],
    });
    await write({ 'migrations/0003_create_c.sql': 'create table warehouse.c (c_key integer primary key);' });
    expect(await migrate(database.url, { sqlDirectory })).toEqual({
      applied: ['0003_create_c'],
      alreadyApplied: ['0001_create_a', '0002_create_b'],
      views: { files: 1, changed: [], dropped: [] },
      warnings: [],
    });
    expect(await relationsOf('warehouse')).toEqual(['a', 'a_list', 'b', 'c']);
  });

  test('needs no more than one connection of a pool, and gives it back', async () => {
    const pool = new pg.Pool({ ...ownNamesOnly, connectionString: database.url, max: 1 });
    await migrate(pool, { sqlDirectory });
    expect(pool.idleCount).toBe(1);
    await pool.end();
  });

  test('run by two at once is done by one, and the other finds it done', async () => {
    const summaries = await Promise.all([
      migrate(database.url, { sqlDirectory }),
      migrate(database.url, { sqlDirectory }),
    ]);
    expect(summaries.map(({ applied }) => applied.length).sort()).toEqual([0, 2]);
    expect(summaries.map(({ alreadyApplied }) => alreadyApplied.length).sort()).toEqual([0, 2]);
  });

  test('leaves nothing of a call in which a file fails, and names that file', async () => {
    await write({ 'migrations/0002_create_b.sql': 'create table warehouse.b (b_key no_such_type);' });
    const failure = await failureOf(migrate(database.url, { sqlDirectory }));
    expect(failure).toContain('0002_create_b');
    expect(failure).toContain('no_such_type');
    expect(await relationsOf('warehouse')).toEqual([]);
    expect(await pendingMigrations(database.url, sqlDirectory)).toEqual(['0001_create_a', '0002_create_b']);

    await write(basicFiles);
    expect((await migrate(database.url, { sqlDirectory })).applied).toEqual([
      '0001_create_a',
      '0002_create_b',
    ]);
  });

  test('refuses a database that a newer version of the program has migrated', async () => {
    await write({ 'migrations/0003_from_the_future.sql': 'select 1;' });
    await migrate(database.url, { sqlDirectory });
    await rm(join(sqlDirectory, 'migrations/0003_from_the_future.sql'));

    expect(await refusalOf(migrate(database.url, { sqlDirectory }))).toContain('0003_from_the_future');
    expect(await refusalOf(pendingMigrations(database.url, sqlDirectory))).toContain('0003_from_the_future');
    expect(await migrationStatus(database.url, sqlDirectory)).toContainEqual({
      name: '0003_from_the_future',
      applied: true,
      known: false,
      edited: false,
    });
  });

  test('refuses a file that would have to run before one that is applied', async () => {
    await migrate(database.url, { sqlDirectory });
    await write({ 'migrations/0001_also.sql': 'create table warehouse.late ();' });
    expect(await failureOf(migrate(database.url, { sqlDirectory }))).toContain('0001_also');
    expect(await relationsOf('warehouse')).not.toContain('late');
  });

  test('refuses, and names, a migration that was edited after it was applied', async () => {
    await migrate(database.url, { sqlDirectory });
    await write({
      'migrations/0002_create_b.sql': 'create table warehouse.b (b_key bigint primary key);',
      'migrations/0003_create_c.sql': 'create table warehouse.c (c_key integer primary key);',
    });
    const failure = await refusalOf(migrate(database.url, { sqlDirectory }));
    expect(failure).toMatch(/^migration 0002_create_b: .*restore it/);
    expect(await relationsOf('warehouse')).not.toContain('c');
    const states = await migrationStatus(database.url, sqlDirectory);
    expect(states.filter(({ edited }) => edited).map(({ name }) => name)).toEqual(['0002_create_b']);

    // Other line ends are no other file.
    await write({
      'migrations/0001_create_a.sql': basicFiles['migrations/0001_create_a.sql'].replaceAll('\n', '\r\n'),
      'migrations/0002_create_b.sql': basicFiles['migrations/0002_create_b.sql'],
    });
    expect((await migrate(database.url, { sqlDirectory })).applied).toEqual(['0003_create_c']);
  });

  test('applies one more migration to a warehouse that holds rows', async () => {
    const migrated = await createTestDatabase();
    await migrated.pool.query("insert into warehouse.dim_org (org_id) values ('org_1')");
    await rm(sqlDirectory, { recursive: true });
    await cp(ownSqlDirectory, sqlDirectory, { recursive: true });
    await write({
      'migrations/9999_name_regions.sql':
        "alter table warehouse.dim_org add column region text default 'none'",
    });
    expect(await migrate(migrated.url, { sqlDirectory })).toMatchObject({
      applied: ['9999_name_regions'],
      views: { changed: [] },
    });
    const { rows } = await migrated.pool.query('select org_id, region from warehouse.dim_org');
    expect(rows).toEqual([{ org_id: 'org_1', region: 'none' }]);
    await migrated.drop();
  });

  test('fails where the connection breaks, wherever that is, and finishes the next time', async () => {
    const proxy = await startCuttingProxy(database.url);
    // Ended by what the pool is told of a connection that breaks while nobody waits for it.
    const pool = new pg.Pool({ ...ownNamesOnly, connectionString: proxy.url });
    pool.on('error', () => undefined);
    let cutAt = 0;
    try {
      for (let isDone = false; !isDone; ) {
        cutAt += 1;
        proxy.cutAtSend(cutAt);
        isDone = await migrate(pool, { sqlDirectory }).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(Error);
            return false;
          },
        );
        expect([[], ['a', 'a_list', 'b']]).toContainEqual(await relationsOf('warehouse'));
      }
    } finally {
      await pool.end();
      await proxy.close();
    }
    expect(cutAt).toBeGreaterThan(10);
    expect(await relationsOf('warehouse')).toEqual(['a', 'a_list', 'b']);
  });

  test('refuses a database whose encoding cannot hold every name', async () => {
    const other = await createEmptyDatabase("encoding 'SQL_ASCII' locale_provider libc locale 'C'");
    expect(await refusalOf(migrate(other.url, { sqlDirectory }))).toContain('UTF8, got SQL_ASCII');
    await other.drop();
  });

  test('works for a role that may create nothing but in schemas made for it', async () => {
    const role = `loader_${randomBytes(4).toString('hex')}`;
    const password = randomBytes(8).toString('hex');
    await database.pool.query(`
      create role ${role} login password '${password}';
      create schema warehouse;
      create schema bi;
      create schema bi_people;
      create schema etl;
      grant usage, create on schema warehouse, bi, bi_people, etl to ${role};
    `);
    try {
      const url = new URL(database.url);
      url.username = role;
      url.password = password;
      const first = await migrate(url.href);
      expect(first.applied.length).toBeGreaterThan(0);
      expect(first.views.changed.length).toBeGreaterThan(0);
      expect((await migrate(url.href)).applied).toEqual([]);
    } finally {
      await database.pool.query(`drop owned by ${role} cascade; drop role ${role};`);
    }
  });

  test('gives every table that it keeps in the database a description', async () => {
    const migrated = await createTestDatabase();
    const { rows } = await migrated.pool.query(`
      select relation.oid::regclass as name
      from pg_class as relation
      where relnamespace = 'etl'::regnamespace
        and relkind = 'r'
        and obj_description(relation.oid, 'pg_class') is null`);
    expect(rows).toEqual([]);
    await migrated.drop();
  });
});

async function relationsOf(schema: string): Promise<string[]> {
  const { rows } = await database.pool.query<{ relname: string }>(
    `select relname
    from pg_class
    join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = $1 and relkind in ('r', 'v')
    order by relname`,
    [schema],
  );
  return rows.map(({ relname }) => relname);
}
