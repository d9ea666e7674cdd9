import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { withClient } from '../../src/warehouse/connection/one-client.ts';
import { readOpenRights } from '../../src/warehouse/connection/open-rights.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../tools/template-database.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { programFile, startProgram } from '../support/program.ts';

let database: TestDatabase;
let roles: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  roles = Array.from({ length: 7 }, () => `other_${randomBytes(4).toString('hex')}`).sort();
  await query(roles.map((role) => `create role ${role}`).join('; '));
});

afterEach(async () => {
  await database.drop();
  await administer(inject('testDatabases').adminUrl, async (admin) => {
    for (const role of roles) await admin.query(`drop role ${role}`);
  });
});

const query = (text: string) => database.pool.query(text);
const open = () => withClient(database.url, readOpenRights);

test('nobody but the owner and the readers has rights after migrate, and nothing is told', async () => {
  expect(await open()).toBeUndefined();
});

test('what everybody or another role may read or write is told by migrate and doctor, with the statement that ends it', async () => {
  const [first = ''] = roles;
  await query(
    `grant usage on schema warehouse, etl to public;
    grant select on warehouse.dim_user, warehouse.dim_org to public;
    grant usage on schema bi_people to ${first};
    grant select (user_id) on bi_people.users to ${first};
    grant insert, select on etl.run to ${first}`,
  );
  const told = await open();
  expect(told?.problem).toMatch(
    new RegExp(
      `^role public has SELECT on 2 tables and views of warehouse, role ${first} has SELECT on 1 tables and views of bi_people, ` +
        `role ${first} has INSERT, SELECT on 1 tables and views of etl, which `,
    ),
  );
  const { warnings } = await migrate(database.url);
  expect(warnings).toEqual([expect.stringContaining(told?.problem ?? 'nothing')]);
  const { stdout } = await startProgram(programFile, ['doctor'], { DATABASE_URL: database.url }).ended;
  expect(stdout).toContain(`! grants: ${told?.problem}`);
  expect(stdout).toMatch(/^✓ readers: /m);
  const [, statements = ''] = /`([^`]+)`/.exec(told?.remedy ?? '') ?? [];
  await query(statements);
  expect(await open()).toBeUndefined();
});

test('what default privileges gave is told of the tables that have it, where their schema can be looked into', async () => {
  const [first] = roles;
  await query(
    `alter default privileges in schema etl grant select on tables to ${first};
    create table etl.later (id integer)`,
  );
  expect(await open()).toBeUndefined();
  await query(`grant usage on schema etl to ${first}`);
  expect((await open())?.problem).toContain(`role ${first} has SELECT on 1 tables and views of etl`);
});

test('a right of one role is told where another role looks into the schema, and somebody is a member of both', async () => {
  const [first, second, member, stranger] = roles;
  await query(
    `grant select on etl.run to ${first}; grant usage on schema etl to ${second}, ${stranger}; grant ${first} to ${member}`,
  );
  expect(await open()).toBeUndefined();
  await query(`grant ${second} to ${member}`);
  expect((await open())?.problem).toContain(`role ${first} has SELECT on 1 tables and views of etl`);
  await query(`revoke ${second} from ${member}; grant select on etl.slice to public`);
  expect((await open())?.problem).toMatch(/^role public has SELECT on 1 tables and views of etl, which /);
});

test('of many, five are named, and a number tells the rest', async () => {
  await query(
    `grant usage on schema etl to ${roles.join(', ')}; grant select on etl.run to ${roles.join(', ')}`,
  );
  const told = await open();
  expect(told?.problem).toContain(' and 2 more, which ');
  expect(told?.problem.match(/role other_/g)).toHaveLength(5);
});
