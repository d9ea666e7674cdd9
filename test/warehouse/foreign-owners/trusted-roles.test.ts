/** Whose schemas and tables are trusted. */
import { describe, expect, inject, test } from 'vitest';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../../tools/template-database.ts';
import { setUpEmptyDatabase, toldOfOwners } from '../../support/foreign-owners.ts';
import { addPerson, asPerson } from '../../support/planted-code.ts';

const shared = setUpEmptyDatabase();
const query = async (text: string) => (await shared().database.pool.query(text)).rows;

describe('who is trusted', () => {
  test('superusers, ourselves, and roles that somebody entitled made us a member of', async () => {
    const owner = await addPerson(shared().database, 'owner');
    shared().persons.push(owner);
    await query(`grant create on database ${shared().name} to ${owner.role}`);
    await migrate(owner.url);
    expect(await toldOfOwners(owner.url)).toBeUndefined();
    expect(await toldOfOwners(shared().loader.url)).toContain(`of role ${owner.role}`);
    expect(await toldOfOwners(shared().database.url)).toContain(`of role ${owner.role}`);
    await query(`grant ${owner.role} to ${shared().loader.role}`);
    expect(await toldOfOwners(shared().loader.url)).toBeUndefined();
    await query('drop schema etl, warehouse, bi, bi_people cascade');
    await migrate(shared().database.url);
    expect(await toldOfOwners(shared().loader.url)).toBeUndefined();
    expect(await toldOfOwners(shared().database.url)).toBeUndefined();
  });

  test('the owner of the database, where we are it, and nobody else', async () => {
    await query('create schema etl authorization pg_database_owner');
    expect(await toldOfOwners(shared().loader.url)).toContain('schema etl (of role pg_database_owner)');
    await query(`alter database ${shared().name} owner to ${shared().loader.role}`);
    expect(await toldOfOwners(shared().loader.url)).toBeUndefined();
    await migrate(shared().loader.url);
    expect(await toldOfOwners(shared().loader.url)).toBeUndefined();
    await query(`alter database ${shared().name} owner to ${new URL(shared().database.url).username}`);
  });

  test('not a role that we made, such as the one of analysts, as which its members act', async () => {
    await query(
      `alter role ${shared().loader.role} createrole; grant create on database ${shared().name} to ${shared().mallory.role}`,
    );
    const analysts = { role: `analysts_of_${shared().loader.role}`, url: '' };
    shared().persons.unshift(analysts);
    await asPerson(shared().loader, `create role ${analysts.role}`);
    await query(`grant ${analysts.role} to ${shared().mallory.role}`);
    await asPerson(shared().mallory, `create schema etl; alter schema etl owner to ${analysts.role}`);
    expect(await toldOfOwners(shared().loader.url)).toContain(`schema etl (of role ${analysts.role})`);
  });

  test('not the role into which the owner of a database puts a superuser', async () => {
    await query(`alter database ${shared().name} owner to ${shared().mallory.role}`);
    await asPerson(
      shared().mallory,
      `alter database ${shared().name} set role = ${shared().mallory.role}; create schema etl`,
    );
    try {
      expect(await toldOfOwners(shared().database.url)).toContain(
        `schema etl (of role ${shared().mallory.role})`,
      );
      await expect(migrate(shared().database.url)).rejects.toThrow(
        `schema etl (of role ${shared().mallory.role})`,
      );
    } finally {
      await administer(inject('testDatabases').adminUrl, async (admin) => {
        await admin.query(`alter database ${shared().name} reset role`);
        await admin.query(
          `alter database ${shared().name} owner to ${new URL(shared().database.url).username}`,
        );
      });
    }
  });

  test('not who made us a member of himself', async () => {
    const maker = await addPerson(shared().database, 'maker', 'createrole');
    shared().persons.push(maker);
    await query(`grant create on database ${shared().name} to ${maker.role}`);
    await asPerson(maker, 'create schema etl');
    const { rows } = await shared().database.pool.query<{ version: number }>(
      "select current_setting('server_version_num')::integer as version",
    );
    // Before Postgres 16 who makes roles grants any, to superusers, too; since then only those that he made.
    if ((rows[0]?.version ?? 0) < 160_000) {
      await asPerson(maker, `grant ${maker.role} to ${new URL(shared().database.url).username}`);
      expect(await toldOfOwners(shared().database.url)).toContain(`schema etl (of role ${maker.role})`);
      return;
    }
    const puppet = { role: `puppet_of_${maker.role}`, url: '' };
    await asPerson(
      maker,
      `create role ${puppet.role}; grant ${puppet.role} to ${maker.role} with set true;
      grant ${puppet.role} to ${shared().loader.role}; alter schema etl owner to ${puppet.role}`,
    );
    // Before the maker, who granted.
    shared().persons.unshift(puppet);
    expect(await toldOfOwners(shared().loader.url)).toContain(`schema etl (of role ${puppet.role})`);
  });
});
