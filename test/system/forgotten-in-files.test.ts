/** Credit limits and teams, which come from files: they forget a person, and do not bring one back. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';

const of = '2026-01-14';
const email = 'Ann.Planted@corp.example';
const planted = ['planted'];

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-forgotten-'));
});

afterAll(() => rm(directory, { recursive: true }));

async function file(name: string, lines: readonly string[]): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

const people = () =>
  file('people.csv', [
    'user_email,team,valid_from',
    `${email.toLowerCase()},Search,${of}`,
    `bob@corp.example,Search,${of}`,
    `carl@corp.example,"Friends of ${email}",${of}`,
  ]);

async function load(installation: Installation): Promise<void> {
  installation.dataset.overrideRows('users', day(of), [
    { user_id: 'planted-ann', user_email: email, date: of, billable_tokens: 10 },
    { user_id: 'user-bob', user_email: 'bob@corp.example', date: of, billable_tokens: 7 },
  ]);
  await loadInProcess(installation, `backfill --from ${of} --to ${of} --endpoints users`);
}

/** Credits by the team of whoever used them, named by e-mail. */
const creditsByTeam = async ({ database: { pool } }: Installation) =>
  (
    await pool.query(
      `select team, sum(billable_tokens) as credits
      from warehouse.fact_user_daily
      join warehouse.dim_user as u using (org_key, user_key)
      left join warehouse.person_assignment as a on a.org_key = u.org_key and lower(a.user_email) = lower(u.user_email)
      group by team`,
    )
  ).rows;

test('a team keeps its totals, and no import brings the person back', async () => {
  await using installation = await install({ users: 3 });
  const { pool } = installation.database;
  await load(installation);
  expect((await installation.run(`people import ${await people()}`)).code).toBe(0);
  const before = await creditsByTeam(installation);
  expect(before).toEqual([{ team: 'Search', credits: '17' }]);
  await commandInProcess(installation, `forget-user ${email}`);
  expect(await placesOf(pool, planted)).toEqual([]);
  expect(await creditsByTeam(installation)).toEqual(before);

  const again = await installation.run(`people import ${await people()}`);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('skipped') });
  expect(again.stdout + again.stderr).not.toContain('planted');
  expect(await placesOf(pool, planted)).toEqual([]);
  expect(await creditsByTeam(installation)).toEqual(before);
});

test('credit limits and their record lose the name and keep their figures; no file sets them again', async () => {
  await using installation = await install({ users: 3 });
  const { pool } = installation.database;
  await load(installation);
  const limits = await file('limits.csv', ['email,limit', `${email},2000000`]);
  await installation.run(`limits apply ${limits} --yes`);
  await pool.query(
    `insert into etl.credit_limit_change (org_key, user_email, requested_limit, outcome, error, run_id)
    select org_key, 'bob@corp.example', 1, 'error', 'planted-ann has all of it', 1 from warehouse.dim_org`,
  );
  await pool.query(
    `insert into etl.credit_limit_change (org_key, user_email, requested_limit, run_id)
    select org_key, 'ANN.PLANTED@corp.example', 4000000, 1 from warehouse.dim_org`,
  );
  await pool.query(
    'insert into warehouse.credit_limit (org_key, user_email, limit_credits) select org_key, $1, 2000000 from warehouse.dim_org',
    [email],
  );
  const figures = async () =>
    (await pool.query('select requested_limit from etl.credit_limit_change order by change_id')).rows;
  const before = await figures();
  expect((await commandInProcess(installation, 'forget-user planted-ann')).code).toBe(0);
  expect(await placesOf(pool, planted)).toEqual([]);
  expect(await figures()).toEqual(before);
  const asked = installation.simulator.requests.length;
  const again = await installation.run(`limits apply ${limits} --yes`);
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('skipped') });
  expect(installation.simulator.requests.slice(asked).filter(({ path }) => path.includes('limits'))).toEqual(
    [],
  );
  expect(await placesOf(pool, planted)).toEqual([]);
});

test('a model that is called after the person keeps its price, also when the file comes again', async () => {
  await using installation = await install({ users: 3 });
  const { pool } = installation.database;
  installation.dataset.overrideRows('tokens', day(of), [
    {
      date: of,
      billable_tokens: 1_000_000,
      by_model: [{ model_id: 'tuned:planted-ann', model_tier: 'standard', billable_tokens: 1_000_000 }],
      by_user: [],
    },
  ]);
  await loadInProcess(installation, `backfill --from ${of} --to ${of} --endpoints tokens`);
  const prices = await file('prices.csv', [
    'model_id,model_tier,price_per_million_credits,currency,valid_from',
    `tuned:planted-ann,*,12,EUR,${of}`,
  ]);
  const cost = async () =>
    (await pool.query('select cost::double precision as cost from bi.cost_by_month')).rows;
  expect((await installation.run(`prices import ${prices}`)).code).toBe(0);
  expect(await cost()).toEqual([{ cost: 12 }]);
  await commandInProcess(installation, 'forget-user planted-ann');
  expect(await placesOf(pool, planted)).toEqual([]);
  expect(await cost()).toEqual([{ cost: 12 }]);
  const again = await installation.run(`prices import ${prices} --json`);
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({ rows: { inserted: 0, updated: 0, deleted: 0 } });
  expect(await placesOf(pool, planted)).toEqual([]);
});
