/** What others own in schemas of ours is refused by name, and they can put nothing there. */
import { describe, expect, test } from 'vitest';
import { setUpMigratedDatabase, strike, toldOfOwners } from '../../support/foreign-owners.ts';
import { asPerson } from '../../support/planted-code.ts';

const shared = setUpMigratedDatabase();
const query = async (text: string) => (await shared().database.pool.query(text)).rows;

describe('what others own in schemas of ours is refused by name', () => {
  test.each([
    ['table', 'create table bi.others (id integer)', 'table bi.others'],
    ['view', 'create view bi_people.others as select 1 as id', 'view bi_people.others'],
    [
      'function',
      'create function etl.rename_in_credit_limits(integer, varchar, varchar) returns void language sql as $$ $$',
      'function etl.rename_in_credit_limits(integer,character varying,character varying)',
    ],
    ['type', "create type warehouse.kind as enum ('a')", 'type warehouse.kind'],
    ['composite type', 'create type warehouse.pair as (a integer, b integer)', 'type warehouse.pair'],
    ['domain', 'create domain bi.word as text', 'type bi.word'],
    ['sequence', 'create sequence etl.numbers', 'sequence etl.numbers'],
    [
      'materialized view',
      'create materialized view bi.stored as select 1 as id',
      'materialized view bi.stored',
    ],
  ])('a %s', async (_kind, statement, name) => {
    await query(`grant usage, create on schema etl, warehouse, bi, bi_people to ${shared().mallory.role}`);
    await asPerson(shared().mallory, statement);
    await query(`revoke create on schema etl, warehouse, bi, bi_people from ${shared().mallory.role}`);
    expect(await toldOfOwners(shared().loader.url)).toContain(`${name} (of role ${shared().mallory.role})`);
  });
});

describe('somebody who may create in the database, and has no right in the schemas', () => {
  test('puts nothing where a run would meet it', async () => {
    await asPerson(
      shared().mallory,
      `${strike('trigger', 'new')} create schema hers; create table hers.run (run_id integer)`,
    );
    for (const attempt of [
      'create schema etl',
      'alter schema hers rename to etl',
      'alter table hers.run set schema etl',
      'alter table hers.run inherit etl.run',
      'create table hers.part () inherits (etl.run)',
      'create table hers.b (k integer references warehouse.dim_org)',
      'create trigger trap before insert on etl.run for each row execute function public.strike()',
      'create rule trap as on insert to etl.run do also select 1',
      'create policy trap on etl.run',
      'create function etl.trap() returns integer language sql as $$ select 1 $$',
      `alter schema etl owner to ${shared().mallory.role}`,
      'drop schema etl cascade',
      `alter default privileges for role ${shared().loader.role} grant all on tables to ${shared().mallory.role}`,
      'create event trigger trap on ddl_command_end execute function public.strike()',
    ])
      await expect(asPerson(shared().mallory, attempt), attempt).rejects.toThrow(
        /permission denied|must be (?:owner|able|member)|already exists/,
      );
    expect(await toldOfOwners(shared().loader.url, true)).toBeUndefined();
  });
});
