import pg from 'pg';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { ConfigurationError } from '../../src/model/errors.ts';
import { refuseForeignOwners } from '../../src/warehouse/connection/foreign-owners.ts';
import { withClient } from '../../src/warehouse/connection/one-client.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../tools/template-database.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { addMallory, addPerson, asPerson, type Person } from '../support/planted-code.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';
import { programFile, startProgram } from '../support/program.ts';

let database: TestDatabase;
let mallory: Person;
let loader: Person;
/** Every role, the last of which others depend on. */
let persons: Person[];

beforeEach(async () => {
  database = await createEmptyDatabase();
  mallory = await addMallory(database);
  loader = await addPerson(database, 'loader');
  persons = [mallory, loader];
  await query(`grant create on database ${databaseName()} to ${loader.role}`);
});

afterEach(async () => {
  await database.drop();
  await administer(inject('testDatabases').adminUrl, async (admin) => {
    for (const { role } of persons) await admin.query(`drop role ${role}`);
  });
});

const query = async (text: string) => (await database.pool.query(text)).rows;
const databaseName = () => new URL(database.url).pathname.slice(1);

/** What is told of foreign owners to somebody; undefined when there is nothing to tell. */
async function told(url: string, isThorough = false): Promise<string | undefined> {
  try {
    await withClient(url, (client) => refuseForeignOwners(client, { isThorough }));
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error instanceof Error ? error.message : undefined;
  }
}

/** A function of mallory's that makes a superuser of her, and notes that it was called. */
const strike = (returns: string, value: string) => `
  create sequence if not exists public.calls;
  grant all on sequence public.calls to public;
  create function public.strike${value === 'new' ? '()' : '(anyelement)'} returns ${returns} language plpgsql as $f$
  begin
    perform pg_catalog.nextval('public.calls');
    return ${value};
  end
  $f$;`;

const calls = () => query('select is_called from public.calls');

describe('a schema that somebody made beforehand', () => {
  const trap = `
    create schema etl;
    create table etl.migration (name varchar(255) primary key, timestamp varchar(255) not null);
    create trigger trap before insert on etl.migration for each row execute function public.strike();
    grant all on schema etl to public;
    grant all on etl.migration to public;`;

  test('is refused by name by every command and for every role, before it is read', async () => {
    await asPerson(mallory, `${strike('trigger', 'new')} ${trap}`);
    for (const url of [loader.url, database.url])
      for (const commandLine of ['migrate', 'migrate --status', 'status', 'maintenance']) {
        const { code, stderr } = await startProgram(programFile, commandLine.split(' '), {
          DATABASE_URL: url,
        }).ended;
        expect({ commandLine, code, stderr }).toEqual({
          commandLine,
          code: 2,
          stderr: expect.stringMatching(
            new RegExp(
              `schema etl \\(of role ${mallory.role}\\), table etl.migration \\(of role ${mallory.role}\\)`,
            ),
          ),
        });
      }
    expect(await calls()).toEqual([{ is_called: false }]);
    const doctor = await startProgram(programFile, ['doctor'], { DATABASE_URL: loader.url }).ended;
    expect(doctor.stdout).toMatch(/^✗ owners: .*schema etl \(of role mallory_/m);
    expect(doctor.stdout).not.toMatch(/^[✓!✗] migrations/m);
  });

  test.each(['etl', 'warehouse', 'bi', 'bi_people'])(
    'is refused where it is %s alone, and empty',
    async (schema) => {
      await asPerson(mallory, `create schema ${schema}; grant all on schema ${schema} to public`);
      for (const url of [loader.url, database.url])
        await expect(migrate(url)).rejects.toThrow(`schema ${schema} (of role ${mallory.role})`);
    },
  );
});

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
    await migrate(loader.url);
    await query(`grant usage, create on schema etl, warehouse, bi, bi_people to ${mallory.role}`);
    await asPerson(mallory, statement);
    await query(`revoke create on schema etl, warehouse, bi, bi_people from ${mallory.role}`);
    expect(await told(loader.url)).toContain(`${name} (of role ${mallory.role})`);
  });
});

describe('what would run code of others is refused by name', () => {
  beforeEach(async () => {
    await migrate(loader.url);
    await query(
      `grant usage on schema etl, warehouse to ${mallory.role};
       grant all on all tables in schema etl, warehouse to ${mallory.role}`,
    );
  });

  /** What is told once the rights are gone with which it was made. */
  async function toldOfWhatIsLeft(isThorough = false): Promise<string | undefined> {
    await query(`revoke trigger, references on all tables in schema etl, warehouse from ${mallory.role}`);
    return await told(loader.url, isThorough);
  }

  test('a trigger that a right on the table was enough for', async () => {
    await asPerson(
      mallory,
      `${strike('trigger', 'new')}
      create trigger trap before insert on etl.run for each row execute function public.strike()`,
    );
    expect(await toldOfWhatIsLeft()).toMatch(
      /got trigger trap on table etl\.run, which calls function public\.strike\(\); .*`drop trigger trap on etl\.run;`/,
    );
  });

  test('a trigger that runs nothing but the condition', async () => {
    await asPerson(
      mallory,
      `${strike('boolean', '$1 is not null')}
      create trigger trap before update on etl.run for each row when (public.strike(new.job))
        execute function pg_catalog.suppress_redundant_updates_trigger()`,
    );
    expect(await toldOfWhatIsLeft()).toMatch(
      /trigger trap on table etl\.run, which calls function suppress_redundant_updates_trigger\(\) under a condition/,
    );
  });

  test.each([
    [
      'whose condition has Postgres run text',
      `create trigger trap before insert on etl.run for each row
        when (pg_catalog.query_to_xml('select public.strike()', true, true, '') is not null)
        execute function pg_catalog.suppress_redundant_updates_trigger()`,
    ],
    [
      'that calls a function of ours, under a condition of its own',
      `create trigger trap before update on etl.credit_limit_change for each row
        when (pg_catalog.set_config('usage_etl.renames_person', 'yes', false) = 'yes')
        execute function etl.guard_credit_limit_change()`,
    ],
    [
      'that calls a function of Postgres with arguments',
      `create trigger trap before insert on etl.run for each row
        execute function pg_catalog.tsvector_update_trigger('job', 'public.strike', 'job')`,
    ],
    [
      'that follows the statement, to its end',
      `create constraint trigger trap after insert on etl.run deferrable initially deferred for each row
        execute function pg_catalog.suppress_redundant_updates_trigger()`,
    ],
  ])('a trigger %s', async (_kind, statement) => {
    await asPerson(mallory, statement);
    expect(await toldOfWhatIsLeft()).toMatch(/got trigger trap on table etl\.\w+, which calls function /);
  });

  test('not a trigger of a superuser that compares, and calls what he made', async () => {
    await query(`create function public.watch() returns trigger language plpgsql as 'begin return new; end'`);
    await query(`create trigger watch before insert on etl.run for each row
      when (new.job in ('nightly', 'backfill') and new.run_id > 0 and new.job is distinct from 'x')
      execute function public.watch()`);
    expect(await toldOfWhatIsLeft(true)).toBeUndefined();
    await query('drop trigger watch on etl.run');
    await query(`create trigger watch before insert on etl.run for each row
      when (pg_catalog.upper(new.job) = 'X') execute function public.watch()`);
    expect(await toldOfWhatIsLeft(true)).toContain('trigger watch on table etl.run');
  });

  test('a table whose rows go with ours, and their triggers with them', async () => {
    await asPerson(
      mallory,
      `create table public.followers (org_key integer references warehouse.dim_org (org_key) on delete cascade)`,
    );
    expect(await toldOfWhatIsLeft()).toMatch(/table public\.followers, which refers to warehouse\.dim_org/);
  });

  test('a table that only refers to ours, whose keys compare as they like', async () => {
    await asPerson(
      mallory,
      'create table public.readers (org_key integer references warehouse.dim_org (org_key))',
    );
    expect(await toldOfWhatIsLeft()).toMatch(
      /table public\.readers, which refers to warehouse\.dim_org \(of role mallory_\w+\); .*`alter table public\.readers drop constraint readers_org_key_fkey;`/,
    );
    for (const command of ['status', 'maintenance']) {
      const { code, stderr } = await startProgram(programFile, [command], { DATABASE_URL: loader.url }).ended;
      expect({ command, code, stderr }).toEqual({
        command,
        code: 2,
        stderr: expect.stringContaining('table public.readers, which refers to warehouse.dim_org'),
      });
    }
  });

  test('a table that inherits from ours, whose triggers run where our rows are changed', async () => {
    await query(
      `create table public.heir () inherits (etl.run); alter table public.heir owner to ${mallory.role}`,
    );
    const sentence = (await toldOfWhatIsLeft()) ?? '';
    expect(sentence).toContain(`table public.heir, which inherits from etl.run (of role ${mallory.role})`);
    const [, statements = ''] = /let an administrator run `([^`]+)`/.exec(sentence) ?? [];
    await query(statements);
    expect(await toldOfWhatIsLeft(true)).toBeUndefined();
  });

  test('a table of ours, or of a superuser, may refer to ours', async () => {
    await asPerson(
      loader,
      'create schema notes; create table notes.a (k integer references warehouse.dim_org)',
    );
    await query('create table public.others (k integer references warehouse.dim_org)');
    expect(await toldOfWhatIsLeft(true)).toBeUndefined();
  });

  test('a default, a check, a policy and a view that came to call it by a search path of then', async () => {
    await asPerson(mallory, strike('boolean', 'true'));
    for (const [statement, name] of [
      [
        'alter table etl.run add column struck boolean default public.strike(1)',
        /default value for column struck/,
      ],
      [
        'alter table etl.run add constraint struck check (public.strike(run_id))',
        /constraint struck on table etl\.run/,
      ],
      ['create policy struck on etl.run using (public.strike(run_id))', /policy struck on table etl\.run/],
      ['create view bi.struck as select public.strike(1)', /on view bi\.struck/],
      ['create index struck on etl.run ((job))', undefined],
    ] as const) {
      await asPerson(loader, `begin; ${statement}; commit`);
      const sentence = await toldOfWhatIsLeft(true);
      if (name === undefined) expect(sentence).toBeUndefined();
      else expect(sentence).toMatch(name);
      await asPerson(
        loader,
        `alter table etl.run drop column if exists struck; alter table etl.run drop constraint if exists struck;
        drop policy if exists struck on etl.run; drop view if exists bi.struck`,
      );
    }
  });
});

describe('a right with which others could have their code run is refused by name, with the statement that takes it', () => {
  beforeEach(async () => {
    await migrate(loader.url);
  });

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
    const named = (text: string) => text.replace('ROLE', mallory.role).replace('LOADER', loader.role);
    await asPerson(loader, named(statement));
    const sentence = (await told(loader.url)) ?? '';
    const isMany = statement.includes('all tables');
    if (!isMany) expect(sentence).toContain(`the right ${named(right)} (of role `);
    expect(sentence).toMatch(statement.endsWith('public') ? /\(of role public\)/ : /\(of role mallory_/);
    await expect(migrate(loader.url)).rejects.toThrow('the right ');
    const [, statements = ''] = /let an administrator run `([^`]+)`/.exec(sentence) ?? [];
    await query(statements);
    expect(await told(loader.url, true)).toBeUndefined();
  });

  test('not what lets others read and write, nor what roles have that are trusted', async () => {
    await query(
      `grant select, insert, update, delete, truncate on all tables in schema etl, warehouse to ${mallory.role};
      grant usage on schema etl, warehouse, bi to ${mallory.role}, public;
      grant all on all tables in schema bi to ${mallory.role};
      grant all on all tables in schema etl to ${new URL(database.url).username}, ${loader.role}`,
    );
    expect(await told(loader.url, true)).toBeUndefined();
  });
});

describe('while the first migrate begins', () => {
  /** What mallory does when `migrate` waits for her, or has taken its lock. */
  test('a schema that is made at that moment is refused, and nothing in it is run', async () => {
    await asPerson(mallory, strike('integer', '1').replace('(anyelement)', '()'));
    const attack = new pg.Client({ connectionString: mallory.url });
    await attack.connect();
    await attack.query(
      `begin; create schema etl;
      create view etl.migration as select public.strike()::text as name, ''::text as timestamp, ''::text as checksum;
      create view etl.lock_number as select public.strike() as lock_number, 'schema'::text as subject;
      grant all on schema etl to public; grant all on all tables in schema etl to public`,
    );
    const failure = migrate(loader.url).then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect
      .poll(
        async () =>
          await query(
            `select from pg_locks where pid in (select pid from pg_stat_activity where usename = '${loader.role}')
              and (not granted or locktype = 'advisory')`,
          ),
        { timeout: 20_000 },
      )
      .not.toEqual([]);
    await attack.query('commit');
    await attack.end();
    expect(await failure).toBeInstanceOf(ConfigurationError);
    expect(String(await failure)).toContain(`schema etl (of role ${mallory.role})`);
    expect(await calls()).toEqual([{ is_called: false }]);
  });

  test('a schema that nobody may make is asked for before anything is read', async () => {
    await query(
      `revoke create on database ${databaseName()} from ${loader.role}; create schema warehouse authorization ${loader.role}`,
    );
    await asPerson(mallory, strike('integer', '1').replace('(anyelement)', '()'));
    await expect(migrate(loader.url)).rejects.toMatchObject({
      statements: ['bi', 'bi_people', 'etl'].map(
        (name) => `create schema ${name} authorization ${loader.role};`,
      ),
    });
  });
});

test('a schema that is made while a command begins is not read', async () => {
  await asPerson(mallory, strike('boolean', 'true'));
  const plant = () =>
    asPerson(
      mallory,
      `create schema etl; create table etl.migration (name text, timestamp text, checksum text);
      insert into etl.migration values ('0001_schemas_and_keys', '', null);
      alter table etl.migration enable row level security;
      create policy struck on etl.migration using (public.strike(name));
      grant all on schema etl to public; grant all on etl.migration to public`,
    );
  let planting: Promise<void> | undefined;
  let isLookedAt = false;
  const proxy = await startPostgresProxy(loader.url, {
    fromClient(bytes, { upstream }) {
      if (isLookedAt) planting ??= plant();
      if (bytes.includes("'bi_people'")) isLookedAt = true;
      void Promise.resolve(planting).then(() => upstream.write(bytes));
    },
    fromServer: (bytes, { client }) => void client.write(bytes),
  });
  try {
    const { code, stderr } = await startProgram(programFile, ['status'], { DATABASE_URL: proxy.url }).ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the database lacks ') });
  } finally {
    await proxy.close();
  }
  expect(planting).toBeDefined();
  await planting;
  expect(await calls()).toEqual([{ is_called: false }]);
});

describe('somebody who may create in the database, and has no right in the schemas', () => {
  test('puts nothing where a run would meet it', async () => {
    await migrate(loader.url);
    await asPerson(
      mallory,
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
      `alter schema etl owner to ${mallory.role}`,
      'drop schema etl cascade',
      `alter default privileges for role ${loader.role} grant all on tables to ${mallory.role}`,
      'create event trigger trap on ddl_command_end execute function public.strike()',
    ])
      await expect(asPerson(mallory, attempt), attempt).rejects.toThrow(
        /permission denied|must be (?:owner|able|member)|already exists/,
      );
    expect(await told(loader.url, true)).toBeUndefined();
  });
});

describe('who is trusted', () => {
  test('superusers, ourselves, and roles that somebody entitled made us a member of', async () => {
    const owner = await addPerson(database, 'owner');
    persons.push(owner);
    await query(`grant create on database ${databaseName()} to ${owner.role}`);
    await migrate(owner.url);
    expect(await told(owner.url)).toBeUndefined();
    expect(await told(loader.url)).toContain(`of role ${owner.role}`);
    expect(await told(database.url)).toContain(`of role ${owner.role}`);
    await query(`grant ${owner.role} to ${loader.role}`);
    expect(await told(loader.url)).toBeUndefined();
    await query('drop schema etl, warehouse, bi, bi_people cascade');
    await migrate(database.url);
    expect(await told(loader.url)).toBeUndefined();
    expect(await told(database.url)).toBeUndefined();
  });

  test('the owner of the database, where we are it, and nobody else', async () => {
    await query('create schema etl authorization pg_database_owner');
    expect(await told(loader.url)).toContain('schema etl (of role pg_database_owner)');
    await query(`alter database ${databaseName()} owner to ${loader.role}`);
    expect(await told(loader.url)).toBeUndefined();
    await migrate(loader.url);
    expect(await told(loader.url)).toBeUndefined();
    await query(`alter database ${databaseName()} owner to ${new URL(database.url).username}`);
  });

  test('not a role that we made, such as the one of analysts, as which its members act', async () => {
    await query(
      `alter role ${loader.role} createrole; grant create on database ${databaseName()} to ${mallory.role}`,
    );
    const analysts = { role: `analysts_of_${loader.role}`, url: '' };
    persons.unshift(analysts);
    await asPerson(loader, `create role ${analysts.role}`);
    await query(`grant ${analysts.role} to ${mallory.role}`);
    await asPerson(mallory, `create schema etl; alter schema etl owner to ${analysts.role}`);
    expect(await told(loader.url)).toContain(`schema etl (of role ${analysts.role})`);
  });

  test('not the role into which the owner of a database puts a superuser', async () => {
    await query(`alter database ${databaseName()} owner to ${mallory.role}`);
    await asPerson(mallory, `alter database ${databaseName()} set role = ${mallory.role}; create schema etl`);
    try {
      expect(await told(database.url)).toContain(`schema etl (of role ${mallory.role})`);
      await expect(migrate(database.url)).rejects.toThrow(`schema etl (of role ${mallory.role})`);
    } finally {
      await administer(inject('testDatabases').adminUrl, async (admin) => {
        await admin.query(`alter database ${databaseName()} reset role`);
        await admin.query(`alter database ${databaseName()} owner to ${new URL(database.url).username}`);
      });
    }
  });

  test('not who made us a member of himself', async () => {
    const maker = await addPerson(database, 'maker', 'createrole');
    persons.push(maker);
    await query(`grant create on database ${databaseName()} to ${maker.role}`);
    await asPerson(maker, 'create schema etl');
    const { rows } = await database.pool.query<{ version: number }>(
      "select current_setting('server_version_num')::integer as version",
    );
    // Before Postgres 16 who makes roles grants any, to superusers, too; since then only those that he made.
    if ((rows[0]?.version ?? 0) < 160_000) {
      await asPerson(maker, `grant ${maker.role} to ${new URL(database.url).username}`);
      expect(await told(database.url)).toContain(`schema etl (of role ${maker.role})`);
      return;
    }
    const puppet = { role: `puppet_of_${maker.role}`, url: '' };
    await asPerson(
      maker,
      `create role ${puppet.role}; grant ${puppet.role} to ${maker.role} with set true;
      grant ${puppet.role} to ${loader.role}; alter schema etl owner to ${puppet.role}`,
    );
    // Before the maker, who granted.
    persons.unshift(puppet);
    expect(await told(loader.url)).toContain(`schema etl (of role ${puppet.role})`);
  });
});
