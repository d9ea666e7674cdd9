import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { AdministratorNeededError } from '../../../src/model/errors.ts';
import { needed, refuseWithoutAdministrator } from '../../../src/warehouse/migrations/administrator.ts';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../../tools/template-database.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database.ts';
import { programFile, startProgram } from '../../support/program.ts';

let database: TestDatabase;
let role: string;
let url: string;

beforeEach(async () => {
  database = await createEmptyDatabase();
  role = `loader_${randomBytes(6).toString('hex')}@example.com`;
  const password = randomBytes(12).toString('hex');
  await database.pool.query(
    `create role ${quoted()} login password '${password}';
     revoke create on database ${pg.escapeIdentifier(new URL(database.url).pathname.slice(1))} from public`,
  );
  url = Object.assign(new URL(database.url), { username: role, password }).href;
});

afterEach(async () => {
  await database.drop();
  await administer(inject('testDatabases').adminUrl, (admin) => admin.query(`drop role ${quoted()}`));
});

const quoted = () => pg.escapeIdentifier(role);
const query = async (text: string) => (await database.pool.query(text)).rows;
const migrateAsRole = (...options: string[]) =>
  startProgram(programFile, ['migrate', ...options], { DATABASE_URL: url }).ended;

test('migrate prints what an administrator must run for a role that may create no schema, and does nothing', async () => {
  await query(`create schema warehouse authorization ${quoted()}; create schema etl`);
  const { code, stdout, stderr } = await migrateAsRole();
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^usage-etl: DATABASE_URL: role .* lacks a right \(CREATE, .*nothing was changed.*SECURITY\.md\n$/,
  );
  expect(stdout).toBe(
    `create schema bi authorization ${quoted()};\ncreate schema bi_people authorization ${quoted()};\ngrant usage, create on schema etl to ${quoted()};\n`,
  );
  expect(
    await query(
      "select relname from pg_class where relnamespace in ('warehouse'::regnamespace, 'etl'::regnamespace)",
    ),
  ).toEqual([]);

  const inJson = await migrateAsRole('--json');
  expect(inJson.code).toBe(2);
  expect(JSON.parse(inJson.stdout)).toEqual({
    status: 'failed',
    error: expect.stringContaining('lacks a right'),
    statements: stdout.trimEnd().split('\n'),
  });

  await query(stdout);
  expect(await migrateAsRole()).toMatchObject({ code: 0, stderr: '' });
});

test('also when a new version needs more than the one that the role has migrated to', async () => {
  for (const schema of needed.schemas) await query(`create schema ${schema} authorization ${quoted()}`);
  expect((await migrateAsRole()).code).toBe(0);
  const reader = `reader_${randomBytes(6).toString('hex')}`;
  const needs = {
    schemas: [...needed.schemas, 'bi_more'],
    roles: [{ name: reader, memberOf: ['pg_monitor'] }],
  };
  const statements = [
    `create schema bi_more authorization ${quoted()};`,
    `create role ${reader} nologin in role pg_monitor;`,
  ];
  const failure: unknown = await migrate(url, { needs }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(AdministratorNeededError);
  expect(failure).toMatchObject({ statements });
  // One who may create both needs nobody.
  await database.pool.connect().then(async (client) => {
    await refuseWithoutAdministrator(client, needs);
    client.release();
  });
  for (const statement of statements) await query(statement);
  try {
    expect((await migrate(url, { needs })).applied).toEqual([]);
  } finally {
    await query(`drop role ${reader}`);
  }
});

test('a role that does not own what it would change is refused as a whole', async () => {
  await migrate(database.url);
  for (const schema of needed.schemas) await query(`grant usage, create on schema ${schema} to ${quoted()}`);
  await query(`
    grant all on all tables in schema etl to ${quoted()};
    update etl.view_fingerprint set fingerprint = 'another'`);
  const { code, stderr } = await migrateAsRole();
  expect(code).toBe(2);
  expect(stderr).toMatch(/DATABASE_URL: the role lacks a right.*SECURITY\.md.*must be owner/);
});

test('every schema that migrate makes is known to be needed', async () => {
  const schemas = async () =>
    (await query("select nspname from pg_namespace where nspname !~ '^pg_'")).map((row) => row.nspname);
  const before = await schemas();
  await migrate(database.url);
  const made = (await schemas()).filter((name) => !before.includes(name));
  expect(made.sort()).toEqual([...needed.schemas].sort());
});

test('a role that may create no schema gets no queue unless it is there; where organizations share it, it is asked for', async () => {
  for (const schema of needed.schemas) await query(`create schema ${schema} authorization ${quoted()}`);
  const queueOf = async () => JSON.parse((await migrateAsRole('--json')).stdout).queue;
  expect(await queueOf()).toBeUndefined();
  const environment = { DATABASE_URL: url, ORGANIZATIONS_FILE: '/organizations.yaml' };
  const asked = await startProgram(programFile, ['migrate'], environment).ended;
  // The file itself is wrong here, or an administrator is needed: nothing was done.
  expect(asked.code).toBe(2);
  await query(`create schema etl_queue authorization ${quoted()}`);
  expect(await queueOf()).toEqual({ version: 20, known: 20 });
  expect(JSON.parse((await migrateAsRole('--status', '--json')).stdout).queue).toEqual({
    version: 20,
    known: 20,
  });
});
