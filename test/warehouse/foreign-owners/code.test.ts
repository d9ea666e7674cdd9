/** What would run code of others is refused by name. */
import { beforeEach, describe, expect, test } from 'vitest';
import { setUpMigratedDatabase, strike, toldOfOwners } from '../../support/foreign-owners.ts';
import { asPerson } from '../../support/planted-code.ts';
import { programFile, startProgram } from '../../support/program.ts';

const shared = setUpMigratedDatabase();
const query = async (text: string) => (await shared().database.pool.query(text)).rows;

describe('what would run code of others is refused by name', () => {
  beforeEach(async () => {
    await query(
      `grant usage on schema etl, warehouse to ${shared().mallory.role};
       grant all on all tables in schema etl, warehouse to ${shared().mallory.role}`,
    );
  });

  /** What is told once the rights are gone with which it was made. */
  async function toldOfWhatIsLeft(isThorough = false): Promise<string | undefined> {
    await query(
      `revoke trigger, references on all tables in schema etl, warehouse from ${shared().mallory.role}`,
    );
    return await toldOfOwners(shared().loader.url, isThorough);
  }

  test('a trigger that a right on the table was enough for', async () => {
    await asPerson(
      shared().mallory,
      `${strike('trigger', 'new')}
      create trigger trap before insert on etl.run for each row execute function public.strike()`,
    );
    expect(await toldOfWhatIsLeft()).toMatch(
      /got trigger trap on table etl\.run, which calls function public\.strike\(\); .*`drop trigger trap on etl\.run;`/,
    );
  });

  test('a trigger that runs nothing but the condition', async () => {
    await asPerson(
      shared().mallory,
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
    await asPerson(shared().mallory, statement);
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
      shared().mallory,
      `create table public.followers (org_key integer references warehouse.dim_org (org_key) on delete cascade)`,
    );
    expect(await toldOfWhatIsLeft()).toMatch(/table public\.followers, which refers to warehouse\.dim_org/);
  });

  test('a table that only refers to ours, whose keys compare as they like', async () => {
    await asPerson(
      shared().mallory,
      'create table public.readers (org_key integer references warehouse.dim_org (org_key))',
    );
    expect(await toldOfWhatIsLeft()).toMatch(
      /table public\.readers, which refers to warehouse\.dim_org \(of role mallory_\w+\); .*`alter table public\.readers drop constraint readers_org_key_fkey;`/,
    );
    for (const command of ['status', 'maintenance']) {
      const { code, stderr } = await startProgram(programFile, [command], {
        DATABASE_URL: shared().loader.url,
      }).ended;
      expect({ command, code, stderr }).toEqual({
        command,
        code: 2,
        stderr: expect.stringContaining('table public.readers, which refers to warehouse.dim_org'),
      });
    }
  });

  test('a table that inherits from ours, whose triggers run where our rows are changed', async () => {
    await query(
      `create table public.heir () inherits (etl.run); alter table public.heir owner to ${shared().mallory.role}`,
    );
    const sentence = (await toldOfWhatIsLeft()) ?? '';
    expect(sentence).toContain(
      `table public.heir, which inherits from etl.run (of role ${shared().mallory.role})`,
    );
    const [, statements = ''] = /let an administrator run `([^`]+)`/.exec(sentence) ?? [];
    await query(statements);
    expect(await toldOfWhatIsLeft(true)).toBeUndefined();
  });

  test('a table of ours, or of a superuser, may refer to ours', async () => {
    await asPerson(
      shared().loader,
      'create schema notes; create table notes.a (k integer references warehouse.dim_org)',
    );
    await query('create table public.others (k integer references warehouse.dim_org)');
    expect(await toldOfWhatIsLeft(true)).toBeUndefined();
  });

  test('a default, a check, a policy and a view that came to call it by a search path of then', async () => {
    await asPerson(shared().mallory, strike('boolean', 'true'));
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
      await asPerson(shared().loader, `begin; ${statement}; commit`);
      const sentence = await toldOfWhatIsLeft(true);
      if (name === undefined) expect(sentence).toBeUndefined();
      else expect(sentence).toMatch(name);
      await asPerson(
        shared().loader,
        `alter table etl.run drop column if exists struck; alter table etl.run drop constraint if exists struck;
        drop policy if exists struck on etl.run; drop view if exists bi.struck`,
      );
    }
  });
});
