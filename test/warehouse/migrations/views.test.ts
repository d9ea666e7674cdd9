import { randomBytes } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { ConfigurationError, WarehouseError } from '../../../src/model/errors.ts';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../../tools/template-database.ts';
import { failureOf, setUpMigratedFiles } from '../../support/migrated-files.ts';

const files = setUpMigratedFiles({
  'migrations/0001_create_a.sql': `
    create table warehouse.a (a_key integer primary key, b integer);
    insert into warehouse.a values (1, 2);`,
  'views/a_list.sql': 'create or replace view warehouse.a_list as select a_key, b from warehouse.a;',
  'views/b_of_a.sql': 'create or replace view warehouse.b_of_a as select a_key from warehouse.a_list;',
});

/** The same columns, so that Postgres can replace the view. */
const redefined = 'create or replace view warehouse.a_list as select a_key + 1 as a_key, b from warehouse.a;';
/** Other columns, so that the view must be dropped. */
const reshaped =
  'create or replace view warehouse.a_list as select 7 as seven, a_key::text as a_key from warehouse.a;';

const migrateFiles = (options = {}) =>
  migrate(files.database.pool, { sqlDirectory: files.sqlDirectory, ...options });
const query = async (text: string) => (await files.database.pool.query(text)).rows;
/** Moves with whatever is done to a view. */
const stateOf = (view: string) =>
  query(
    `select relation.oid, relation.xmin, rule.xmin as rule from pg_class as relation
     join pg_rewrite as rule on rule.ev_class = relation.oid where relation.oid = '${view}'::regclass`,
  );

test('whose files are as they were are not touched, and nobody who reads them holds migrate up', async () => {
  expect((await migrateFiles()).views).toEqual({ files: 2, changed: ['a_list', 'b_of_a'], dropped: [] });
  const before = await stateOf('warehouse.a_list');
  const reader = await files.database.pool.connect();
  await reader.query('begin; select from warehouse.a_list');
  expect((await migrateFiles({ lockTimeoutMs: 100 })).views).toEqual({ files: 2, changed: [], dropped: [] });
  await reader.query('rollback');
  reader.release();
  expect(await stateOf('warehouse.a_list')).toEqual(before);

  // Another checkout may end its lines in another way.
  await files.write({
    'views/a_list.sql': '\r\ncreate or replace view warehouse.a_list as select a_key, b from warehouse.a;',
  });
  expect((await migrateFiles()).views.changed).toEqual(['a_list']);
  await files.write({
    'views/a_list.sql': '\ncreate or replace view warehouse.a_list as select a_key, b from warehouse.a;',
  });
  expect((await migrateFiles()).views.changed).toEqual([]);
});

test('that somebody dropped come back', async () => {
  await migrateFiles();
  await query('drop view warehouse.b_of_a');
  expect((await migrateFiles()).views.changed).toEqual(['b_of_a']);
  expect(await query('select * from warehouse.b_of_a')).toEqual([{ a_key: 1 }]);
});

test('follow their files, also where columns change type, and views that rest on them come back', async () => {
  await migrateFiles();
  await files.write({ 'views/a_list.sql': reshaped });
  expect((await migrateFiles()).views).toEqual({ files: 2, changed: ['a_list', 'b_of_a'], dropped: [] });
  expect(await query('select * from warehouse.a_list')).toEqual([{ seven: 7, a_key: '1' }]);
  expect(await query('select * from warehouse.b_of_a')).toEqual([{ a_key: '1' }]);
});

test('keep what others were granted when only their definition changes', async () => {
  await migrateFiles();
  await query('grant select on warehouse.a_list to public');
  await files.write({ 'views/a_list.sql': redefined });
  expect((await migrateFiles()).views.changed).toEqual(['a_list']);
  expect(
    await query(
      "select a_key, has_table_privilege('public', 'warehouse.a_list', 'select') from warehouse.a_list",
    ),
  ).toEqual([{ a_key: 2, has_table_privilege: true }]);
});

test('keep owner and rights when they are dropped and made anew, and get no others', async () => {
  const [analyst, lead, newcomer, owner] = await createRoles(4);
  await migrateFiles();
  await query(`
    grant select on warehouse.a_list to ${lead} with grant option;
    grant select (a_key, b), update (b) on warehouse.a_list to ${analyst};
    grant select on warehouse.b_of_a to ${analyst};
    grant ${owner} to current_user;
    alter view warehouse.b_of_a owner to ${owner};
    grant usage, create on schema warehouse to ${owner};
    grant select on warehouse.a_list to ${owner};
    alter default privileges in schema warehouse grant select, delete on tables to ${newcomer};`);
  await files.write({ 'views/a_list.sql': reshaped });
  await migrateFiles();
  const rights = await query(`
    select role, view,
      has_table_privilege(role, view, 'select') as reads,
      has_table_privilege(role, view, 'select with grant option') as grants,
      has_any_column_privilege(role, view, 'select') as reads_some,
      pg_get_userbyid(relowner) = role as owns
    from unnest(array['${analyst}', '${lead}', '${newcomer}', '${owner}']) as role
    cross join unnest(array['warehouse.a_list', 'warehouse.b_of_a']) as view
    join pg_class on pg_class.oid = view::regclass
    order by view, array_position(array['${analyst}', '${lead}', '${newcomer}', '${owner}'], role)`);
  const none = { reads: false, grants: false, reads_some: false, owns: false };
  const reads = { ...none, reads: true, reads_some: true };
  expect(rights).toEqual([
    // The column b is no more.
    { ...none, role: analyst, view: 'warehouse.a_list', reads_some: true },
    { ...reads, role: lead, view: 'warehouse.a_list', grants: true },
    { ...none, role: newcomer, view: 'warehouse.a_list' },
    { ...reads, role: owner, view: 'warehouse.a_list' },
    { ...reads, role: analyst, view: 'warehouse.b_of_a' },
    { ...none, role: lead, view: 'warehouse.b_of_a' },
    { ...none, role: newcomer, view: 'warehouse.b_of_a' },
    { ...reads, role: owner, view: 'warehouse.b_of_a', grants: true, owns: true },
  ]);
});

test('take nothing with them that others have built on them, unless that is allowed', async () => {
  await migrateFiles();
  await query(`
    create schema analysts;
    create view analysts.direct as select a_key from warehouse.a_list;
    create view analysts."Through Ours" as select a_key from warehouse.b_of_a;
    create materialized view analysts.stored as select a_key from analysts.direct;
    create unique index on analysts.stored (a_key);
    create function analysts.rows() returns setof warehouse.a_list language sql as 'select * from warehouse.a_list';
    create table analysts.copies (id integer, copied warehouse.a_list);
    create view analysts.elsewhere as select a_key from warehouse.a;`);
  const theirs = [
    'column copied of table analysts.copies',
    'function analysts.rows()',
    'materialized view analysts.stored',
    'view analysts."Through Ours"',
    'view analysts.direct',
  ];
  await files.write({
    'migrations/0002_create_c.sql': 'create table warehouse.c (c_key integer primary key);',
    'views/a_list.sql': reshaped,
  });
  const failure = await failureOf(migrateFiles(), ConfigurationError);
  for (const object of theirs) expect(failure).toContain(object);
  expect(failure).toContain('--drop-dependents');
  expect(failure).toContain('warehouse.a_list');
  expect(failure).not.toContain('elsewhere');
  // Nor the migration that came with it.
  expect(await query("select to_regclass('warehouse.c') as c")).toEqual([{ c: null }]);
  expect(await query('select * from analysts."Through Ours"')).toEqual([{ a_key: 1 }]);

  const { applied, views } = await migrateFiles({ dropDependents: true });
  expect(applied).toEqual(['0002_create_c']);
  expect([...views.dropped].sort()).toEqual(theirs);
  expect(await query('select a_key from warehouse.b_of_a')).toEqual([{ a_key: '1' }]);
  expect(
    await query(
      "select relname from pg_class where relnamespace = 'analysts'::regnamespace and relkind <> 'i'",
    ),
  ).toEqual([{ relname: 'copies' }, { relname: 'elsewhere' }]);
});

test('stay as they were when one of the files fails, and nothing else is changed either', async () => {
  await migrateFiles();
  await files.write({
    'migrations/0002_create_c.sql': 'create table warehouse.c (c_key integer primary key);',
    'views/a_list.sql': redefined,
    'views/broken.sql': 'create or replace view warehouse.broken as select * from warehouse.nothing;',
  });
  expect(await failureOf(migrateFiles(), WarehouseError)).toContain('broken.sql');
  expect(await query('select a_key from warehouse.a_list')).toEqual([{ a_key: 1 }]);
  expect(await query("select to_regclass('warehouse.c') as c")).toEqual([{ c: null }]);
});

async function createRoles(count: number): Promise<string[]> {
  const roles = Array.from({ length: count }, () => `role_${randomBytes(4).toString('hex')}`);
  for (const role of roles) await query(`create role ${role}`);
  // Roles are of the server; by then the database is gone, and with it all that they own or may do there.
  onTestFinished(async () => {
    await administer(inject('testDatabases').adminUrl, (admin) =>
      admin.query(`drop role ${roles.join(', ')}`),
    );
  });
  return roles;
}
