import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import type { Reader } from '../../../src/warehouse/migrations/reader-roles.ts';
import { grantToReaders } from '../../../src/warehouse/migrations/readers.ts';
import { ownNamesOnly } from '../../../tools/search-path.ts';
import { administer } from '../../../tools/template-database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let names: string[];
let readers: readonly [Reader, Reader];

beforeEach(async () => {
  database = await createTestDatabase();
  const [analyst = '', people = ''] = ['analyst', 'people', 'loader'].map(
    (kind) => `${kind}_${randomBytes(4).toString('hex')}`,
  );
  names = [people, analyst];
  readers = [
    { name: analyst, memberOf: undefined, schemas: ['bi'] },
    { name: people, memberOf: analyst, schemas: ['bi', 'bi_people'] },
  ];
});

afterEach(async () => {
  await database.drop();
  await administer(inject('testDatabases').adminUrl, async (admin) => {
    for (const name of names) await admin.query(`drop role if exists ${name}`);
  });
});

/** Does what `migrate` does at its end, as a role or as the administrator; returns the warnings. */
async function grant(as?: string): Promise<string[]> {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    if (as !== undefined) await client.query(`set local role ${as}`);
    const warnings = await grantToReaders(client, readers);
    await client.query('commit');
    return warnings;
  } finally {
    await client.end();
  }
}

async function mayRead(role: string): Promise<Record<string, boolean>> {
  const { rows } = await database.pool.query<{ name: string; may: boolean }>(
    `select nspname as name, bool_and(
      has_schema_privilege($1, namespace.oid, 'usage') and has_table_privilege($1, relation.oid, 'select')
    ) as may
    from pg_class as relation join pg_namespace as namespace on namespace.oid = relnamespace
    where nspname in ('bi', 'bi_people', 'warehouse', 'etl') and relkind in ('r', 'v')
    group by 1 order by 1`,
    [role],
  );
  return Object.fromEntries(rows.map(({ name, may }) => [name, may]));
}

test('migrate makes two groups: one reads bi, the other bi_people, too; neither reads anything else', async () => {
  expect(await grant()).toEqual([]);
  const [analyst, people] = readers;
  expect(await mayRead(analyst.name)).toEqual({ bi: true, bi_people: false, etl: false, warehouse: false });
  expect(await mayRead(people.name)).toEqual({ bi: true, bi_people: true, etl: false, warehouse: false });
  const { rows } = await database.pool.query(
    `select bool_or(rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls) as has_power,
      bool_or(pg_has_role(oid, 'pg_read_all_stats', 'member')) as reads_statistics
    from pg_roles where rolname = any ($1)`,
    [readers.map(({ name }) => name)],
  );
  expect(rows).toEqual([{ has_power: false, reads_statistics: false }]);
  expect(await grant()).toEqual([]);
});

test('roles that are there get what they lack, also by one who may make none', async () => {
  const [analyst, people] = readers;
  const loader = await addLoader();
  await database.pool.query(
    `create role ${analyst.name}; create role ${people.name} in role ${analyst.name}`,
  );
  expect(await grant(loader)).toEqual([]);
  expect(await mayRead(people.name)).toMatchObject({ bi: true, bi_people: true, warehouse: false });
});

test('one who may make no role goes on, with the statements for an administrator', async () => {
  const [analyst, people] = readers;
  const [warning, ...others] = await grant(await addLoader());
  expect(others).toEqual([]);
  expect(warning).toContain(
    `\`create role ${analyst.name} nologin; create role ${people.name} nologin; grant ${analyst.name} to ${people.name};\``,
  );
  const [, statements = ''] = /`([^`]+)`/.exec(warning ?? '') ?? [];
  await database.pool.query(statements);
  expect(await grant(names.at(-1))).toEqual([]);
  expect(await mayRead(analyst.name)).toMatchObject({ bi: true, bi_people: false });
});

test('a view that is made anew is granted again', async () => {
  await database.pool.query('drop view bi.tool_usage');
  const { warnings } = await migrate(database.url);
  expect(warnings).toEqual([]);
  expect(await mayRead('usage_analyst')).toEqual({
    bi: true,
    bi_people: false,
    etl: false,
    warehouse: false,
  });
  expect(await mayRead('usage_people_reader')).toMatchObject({ bi: true, bi_people: true });
});

test('what a reader has that migrate did not give is named, with the statement that takes it', async () => {
  const [analyst, people] = readers;
  await database.pool.query(
    `create role ${analyst.name} login createrole in role pg_read_all_data; create role ${people.name} superuser`,
  );
  const warnings = await grant();
  expect(warnings).toEqual([
    expect.stringMatching(
      `^role ${analyst.name} should read .* has the attributes login, createrole and the rights of pg_read_all_data; .*` +
        `\`alter role ${analyst.name} nologin nocreaterole; revoke pg_read_all_data from ${analyst.name};\``,
    ),
    expect.stringMatching(
      `^role ${people.name} .* has the attributes superuser; .*\`alter role ${people.name} nosuperuser;\``,
    ),
  ]);
  for (const warning of warnings) {
    const [, statements = ''] = /`([^`]+)`/.exec(warning) ?? [];
    await database.pool.query(statements);
  }
  expect(await grant()).toEqual([]);
});

test('members of a role that was there are named when it is granted what it may read, and not again', async () => {
  const [analyst, people] = readers;
  const stranger = `stranger_${randomBytes(4).toString('hex')}`;
  names.unshift(stranger);
  await database.pool.query(
    `create role ${stranger}; create role ${analyst.name} role ${stranger}; create role ${people.name}`,
  );
  expect(await grant()).toEqual([
    expect.stringMatching(
      `^role ${analyst.name} was there .* its members now read bi: ${stranger}; .*revoke`,
    ),
  ]);
  expect(await grant()).toEqual([]);
});

test('somebody who keeps a role from being made stops nothing, and is told of with what to run', async () => {
  const [analyst] = readers;
  const other = new pg.Client({ ...ownNamesOnly, connectionString: database.url });
  await other.connect();
  try {
    await other.query(`begin; create role ${analyst.name}`);
    await database.pool.query(
      `alter database ${new URL(database.url).pathname.slice(1)} set lock_timeout = 100`,
    );
    expect((await grant()).join('\n')).toContain(`\`create role ${analyst.name} nologin;`);
  } finally {
    await other.query('rollback');
    await other.end();
  }
});

test('roles that are members of each other the wrong way round stop nothing, and are told with what to run', async () => {
  const [analyst, people] = readers;
  await database.pool.query(`create role ${people.name}; create role ${analyst.name} in role ${people.name}`);
  const warnings = await grant();
  expect(warnings.join('\n')).toContain(
    `\`revoke ${people.name} from ${analyst.name}; grant ${analyst.name} to ${people.name};\``,
  );
  expect(warnings.join('\n')).toContain(`role ${analyst.name} should read views and nothing else`);
});

/** A role that owns the schemas and their views, and may do nothing else. */
async function addLoader(): Promise<string> {
  const loader = `loader_${randomBytes(4).toString('hex')}`;
  names.push(loader);
  await database.pool.query(`
    create role ${loader};
    alter schema bi owner to ${loader};
    alter schema bi_people owner to ${loader};
    do $$
    declare
      view regclass;
    begin
      for view in
        select oid from pg_class where relkind = 'v' and relnamespace in ('bi'::regnamespace, 'bi_people'::regnamespace)
      loop
        execute format('alter view %s owner to ${loader}', view);
      end loop;
    end
    $$`);
  return loader;
}
