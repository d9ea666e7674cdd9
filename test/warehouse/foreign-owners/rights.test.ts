/** Rights with which others could have their code run are refused by name. */
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { setUpMigratedDatabase, toldOfOwners } from '../../support/foreign-owners.ts';
import { asPerson } from '../../support/planted-code.ts';

const shared = setUpMigratedDatabase();
const query = async (text: string) => (await shared().database.pool.query(text)).rows;

describe('a right with which others could have their code run is refused by name, with the statement that takes it', () => {
  test.each([
    ['grant trigger on etl.run to ROLE', 'TRIGGER on table etl.run'],
    ['grant references on warehouse.dim_org to ROLE', 'REFERENCES on table warehouse.dim_org'],
    ['grant references (org_key) on warehouse.dim_org to ROLE', 'REFERENCES on table warehouse.dim_org'],
    ['grant all (org_key) on warehouse.dim_org to public', 'REFERENCES on table warehouse.dim_org'],
    ['grant all on all tables in schema etl to public', 'TRIGGER on table etl.run'],
    ['grant create on schema etl to ROLE', 'CREATE on schema etl'],
    ['grant create on schema bi to public', 'CREATE on schema bi'],
    ['alter default privileges grant all on tables to ROLE', 'TRIGGER on tables that role LOADER will make'],
    [
      'alter default privileges in schema etl grant references on tables to public',
      'REFERENCES on tables that role LOADER will make in schema etl',
    ],
  ])('%s', async (statement, right) => {
    const named = (text: string) =>
      text.replace('ROLE', shared().mallory.role).replace('LOADER', shared().loader.role);
    await asPerson(shared().loader, named(statement));
    const sentence = (await toldOfOwners(shared().loader.url)) ?? '';
    const isMany = statement.includes('all tables');
    if (!isMany) expect(sentence).toContain(`the right ${named(right)} (of role `);
    expect(sentence).toMatch(statement.endsWith('public') ? /\(of role public\)/ : /\(of role mallory_/);
    await expect(migrate(shared().loader.url)).rejects.toThrow('the right ');
    const [, statements = ''] = /let an administrator run `([^`]+)`/.exec(sentence) ?? [];
    await query(statements);
    expect(await toldOfOwners(shared().loader.url, true)).toBeUndefined();
  });

  test('not what lets others read and write, nor what roles have that are trusted', async () => {
    await query(
      `grant select, insert, update, delete, truncate on all tables in schema etl, warehouse to ${shared().mallory.role};
      grant usage on schema etl, warehouse, bi to ${shared().mallory.role}, public;
      grant all on all tables in schema bi to ${shared().mallory.role};
      grant all on all tables in schema etl to ${new URL(shared().database.url).username}, ${shared().loader.role}`,
    );
    expect(await toldOfOwners(shared().loader.url, true)).toBeUndefined();
  });
});
