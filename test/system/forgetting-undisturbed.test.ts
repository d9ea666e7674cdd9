/** Several organizations, runs side by side, and a forgetting that ends in the middle. */
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { OverridableDataset } from '../../src/simulator/dataset.ts';
import { startSimulator } from '../../src/simulator/server.ts';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { lockOrganization } from '../../src/warehouse/locks/organization-lock.ts';
import { type CommandChanges, commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';

const of = '2026-01-14';
const email = 'ann.planted@corp.example';
const load = `backfill --from ${of} --to ${of} --endpoints users`;

interface Two extends Installation {
  /** What leads to the other organization. */
  readonly other: CommandChanges;
  readonly otherDataset: OverridableDataset;
}

/** Two organizations in one warehouse; the same e-mail in both, under two user ids. */
async function installTwo(): Promise<Two> {
  const installation = await install({ users: 3 });
  const otherDataset = new OverridableDataset();
  const simulator = await startSimulator({
    dataset: otherDataset,
    organizationId: 'org_other',
    apiKeys: { 'other-key': 'owner' },
  });
  const row = (user_id: string, user_email: string | null) => ({
    user_id,
    user_email,
    date: of,
    sessions: 1,
  });
  installation.dataset.overrideRows('users', day(of), [row('planted-here', email), row('bob', null)]);
  otherDataset.overrideRows('users', day(of), [row('planted-there', email.toUpperCase()), row('cid', null)]);
  return {
    ...installation,
    otherDataset,
    other: { environment: { API_BASE_URL: simulator.url, API_KEY: 'other-key' } },
    async [Symbol.asyncDispose]() {
      await simulator.close();
      await installation[Symbol.asyncDispose]();
    },
  };
}

/** Holds an organization's lock as a run does, while `work` goes on. */
async function whileHeld(
  { database }: Installation,
  orgId: string,
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await database.pool.query('select org_key from warehouse.dim_org where org_id = $1', [
    orgId,
  ]);
  const pool = openPool(database.url, 1);
  try {
    await withSession(pool, async ({ client }) => {
      expect(await lockOrganization(client, rows[0]?.org_key)).toBe(true);
      await work();
    });
  } finally {
    await pool.end();
  }
}

test('an e-mail means everybody who has it, in every organization, and each stays one of their own', async () => {
  await using installation = await installTwo();
  const { pool } = installation.database;
  await loadInProcess(installation, load);
  await loadInProcess(installation, load, installation.other);
  expect((await commandInProcess(installation, `forget-user ${email} --yes`)).json).toMatchObject({
    users: 2,
  });
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  const { rows } = await pool.query<{ user_id: string }>('select user_id from warehouse.dim_user order by 1');
  expect(rows.map(({ user_id }) => user_id)).toEqual([
    'bob',
    'cid',
    expect.stringMatching(/^forgotten-/),
    expect.stringMatching(/^forgotten-/),
  ]);
  expect(new Set(rows.map(({ user_id }) => user_id)).size).toBe(4);
});

test('while a run holds an organization where the person is known, nothing is done, and the exit code is 4', async () => {
  await using installation = await installTwo();
  const { pool } = installation.database;
  await loadInProcess(installation, load);
  await loadInProcess(installation, load, installation.other);
  const before = await placesOf(pool, ['planted']);
  await whileHeld(installation, 'org_other', async () => {
    for (const name of [email, 'planted-there', 'nobody'])
      expect((await commandInProcess(installation, `forget-user ${name}`)).code).toBe(4);
    expect(await placesOf(pool, ['planted'])).toEqual(before);
    expect((await pool.query('select from etl.forgotten_name')).rowCount).toBe(0);
  });
});

test('what a run at work on another organization loads meanwhile is found by the next run there', async () => {
  await using installation = await installTwo();
  const { pool } = installation.database;
  await loadInProcess(installation, load);
  installation.otherDataset.overrideRows('users', day(of), [
    { user_id: 'cid', date: of, sessions: 1, owner: 'planted-here' },
  ]);
  await loadInProcess(installation, load, installation.other);
  await whileHeld(installation, 'org_other', async () => {
    const { code, json } = await commandInProcess(installation, `forget-user ${email}`);
    expect({ code, json }).toMatchObject({ code: 0, json: { users: 1, organizations_left: 1 } });
  });
  expect((await placesOf(pool, ['planted'])).join('\n')).toMatch(/drift|archive/);
  await loadInProcess(installation, load, installation.other);
  expect(await placesOf(pool, ['planted'])).toEqual([]);
});

test('a forgetting that ended in the middle is finished by the next load, or by asking again', async () => {
  await using installation = await installTwo();
  const { pool } = installation.database;
  await loadInProcess(installation, load);
  await loadInProcess(installation, load, installation.other);
  // It comes as far as the names of users, and not to the end.
  await pool.query(`
    create function public.fails() returns trigger language plpgsql as 'begin raise exception ''out of order''; end';
    create trigger fails before update of user_email on warehouse.dim_user execute function public.fails()`);
  await expect(commandInProcess(installation, `forget-user ${email} --yes`)).resolves.toMatchObject({
    code: 1,
  });
  expect((await placesOf(pool, ['planted'])).join('\n')).toContain('dim_user');
  await pool.query('drop trigger fails on warehouse.dim_user');
  await loadInProcess(installation, load);
  const left = await placesOf(pool, ['planted']);
  expect(left.filter((place) => !place.includes('planted-there') && !/PLANTED/.test(place))).toEqual([]);
  expect((await commandInProcess(installation, `forget-user ${email} --yes`)).code).toBe(0);
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  const { rows } = await pool.query("select from warehouse.dim_user where user_id like 'forgotten-%'");
  expect(rows).toHaveLength(2);
});

test('what the planner remembers of a table that is empty by now goes, too', async () => {
  await using installation = await installTwo();
  const { pool } = installation.database;
  await loadInProcess(installation, load);
  await pool.query(`
    insert into etl.rejected_row (org_key, endpoint, reason, payload)
    select min(org_key), 'users', 'made up', '{"user_id": "planted-here"}' from warehouse.dim_org, generate_series(1, 3)
    group by generate_series;
    analyze etl.rejected_row;
    delete from etl.rejected_row`);
  expect((await placesOf(pool, ['planted'])).join('\n')).toContain('rejected_row');
  await commandInProcess(installation, `forget-user ${email} --yes`);
  expect(await placesOf(pool, ['planted'])).toEqual([]);
});

test('an archive that cannot be read is removed, and all else is done', async () => {
  await using installation = await installTwo();
  const { pool } = installation.database;
  await loadInProcess(installation, load);
  await pool.query("update etl.raw_slice set payload = '\\x00'");
  expect((await commandInProcess(installation, `forget-user ${email} --yes`)).code).toBe(0);
  expect((await pool.query('select from etl.raw_slice')).rowCount).toBe(0);
  expect((await pool.query('select from etl.slice where raw_chunks is not null')).rowCount).toBe(0);
});
