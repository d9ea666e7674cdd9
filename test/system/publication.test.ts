/** A publication for all tables, as change data capture makes one, stops nothing (`docs/operations.md`). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { installForImports } from '../support/imports.ts';
import { changeRows } from '../support/quirky-payloads.ts';

let imports: Awaited<ReturnType<typeof installForImports>>;
beforeAll(async () => {
  imports = await installForImports({ users: 300 });
  await imports.rows('create publication everything for all tables');
}, 60_000);
afterAll(() => imports[Symbol.asyncDispose]());

const run = async (commandLine: string) => {
  const { code, stderr } = await imports.installation.run(commandLine);
  expect(code, `${commandLine}: ${stderr}`).toBe(0);
  return stderr;
};
const anybody = `
  select user_id from warehouse.dim_user where user_id not like 'forgotten-%' order by user_id limit 1`;
const importTeam = async (team: string) => {
  const [user] = await imports.rows(anybody);
  const imported = await imports.importLines('people', [
    'user_id,team,valid_from',
    `${user},${team},2026-01-14`,
  ]);
  expect(imported.code, imported.stderr).toBe(0);
  return imported;
};
const summed = () => imports.rows('select distinct team from etl.summed_credits order by team');

test('every table has a key of stored columns that names its rows', async () => {
  const tables = await imports.rows(`
    select c.oid::regclass::text
    from pg_class as c
    where c.relkind in ('r', 'p')
      and c.relnamespace::regnamespace::text in ('warehouse', 'etl')
      and not exists (
        select from pg_index as i
        where i.indrelid = c.oid
          and case c.relreplident when 'i' then i.indisreplident else i.indisprimary end
          and not exists (
            select from pg_attribute as a
            where a.attrelid = c.oid and a.attnum = any(i.indkey) and a.attgenerated <> ''
          )
      )`);
  expect(tables).toEqual([]);
});

test('loads, restatements, teams, replay, forgetting and expiry go on beside a publication for all tables', async () => {
  await run('backfill --from 2026-01-14 --to 2026-01-16');
  expect((await importTeam('Red')).code).toBe(0);
  expect(await summed()).toContain('Red');
  expect((await importTeam('Blue')).code).toBe(0);
  changeRows(imports.installation.dataset, 'tokens', day('2026-01-15'), (row) => ({
    ...row,
    by_user: itemsOf(row.by_user).map((entry) => ({ ...fieldsOf(entry), billable_tokens: 7 })),
  }));
  await run('nightly --date 2026-01-16');
  await run('replay');
  const [user] = await imports.rows('select user_id from warehouse.dim_user order by user_id desc limit 1');
  await run(`forget-user ${user} --yes`);
  await run('maintenance --archive-months 1');
  await run('verify');
  expect(await summed()).toContain('Blue');
});

test('sums that fail after the commit are a warning that says what stands', async () => {
  await imports.rows(`
    create function public.refuse_sums() returns trigger language plpgsql as
    $$ begin raise exception 'no sums today'; end $$`);
  await imports.rows(`
    create trigger refuse before insert or delete on etl.summed_credits
    execute function public.refuse_sums()`);
  const { code, told, stderr } = await importTeam('Green');
  expect({ code, status: fieldsOf(told).status }).toEqual({ code: 0, status: 'succeeded' });
  expect(stderr).toContain('no sums today');
  expect(stderr).toContain('what this command wrote stands');
  expect(
    await imports.rows("select distinct team from bi.credits_by_team where team <> 'unassigned'"),
  ).toContain('Green');
  const [user] = await imports.rows(anybody);
  expect(await run(`forget-user ${user} --yes`)).toContain('no sums today');
  expect(await imports.rows(`select user_id from warehouse.dim_user where user_id = '${user}'`)).toEqual([]);
});
