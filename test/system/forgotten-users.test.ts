import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';

const id = 'user-planted-4711';
const [email, oldEmail] = ['Ann.Planted@corp.example', 'ann.maiden@corp.example'];
const person = [id, 'ann.planted', 'ann.maiden'];
const [first, last] = ['2026-01-14', '2026-01-15'];
const command = `--from ${first} --to ${last}`;

/** Ann stands where she belongs, and where nobody expects her; Bob stands beside her. */
function report({ dataset }: Installation): void {
  const users = (of: string, address: string | null, more: object) => [
    {
      user_id: id,
      user_email: address,
      date: of,
      sessions: 3,
      billable_tokens: 10,
      languages: ['SQL'],
      ...more,
    },
    { user_id: 'user-bob', user_email: 'bob@corp.example', date: of, sessions: 4, billable_tokens: 7 },
  ];
  dataset.overrideRows('users', day(first), users(first, oldEmail, { manager: id, mail: email }));
  dataset.overrideRows('users', day(last), [
    ...users(last, email, {}),
    { user_id: 'user-rejected', date: last, sessions: `as ${id} said`, owner: id },
  ]);
  dataset.overrideRows('tokens', day(last), [
    {
      date: last,
      billable_tokens: 17,
      by_user: [
        { user_id: id, user_email: null, billable_tokens: 10, by_model: [] },
        { user_id: 'user-bob', user_email: 'bob@corp.example', billable_tokens: 7, by_model: [] },
      ],
      by_model: [],
    },
  ]);
  dataset.overrideRows('tools', day(last), [
    {
      date: last,
      tool_calls: 5,
      by_tool: [{ tool: `ask ${email}`, invocations: 2 }],
      skills_by_name: [{ name: id, count: 1 }],
      hooks_by_event: [
        {
          event: 'Stop',
          matcher: '',
          command: `mail -s done ${email.toLowerCase()}`,
          count: 1,
        },
      ],
    },
  ]);
}

/** What the ledger may quote. */
async function plantInLedger({ database: { pool } }: Installation): Promise<void> {
  await pool.query(`
    update etl.run set error = 'no answer for ${id}', arguments = '{"user": "${email}"}';
    update etl.slice set last_error = 'refused: ${email}', last_failed_at = now() where endpoint = 'activity';
    insert into etl.check_result (run_id, org_key, check_name, verdict, detail)
    select min(run_id), min(org_key), 'made up', 'contradiction', 'sessions of ${id}' from etl.run;
    analyze`);
}

const totals = async ({ database: { pool } }: Installation) =>
  (
    await pool.query(
      `select usage_date::text, count(*), count(distinct user_key), sum(sessions), sum(billable_tokens)
      from warehouse.fact_user_daily group by 1
      union all
      select usage_date::text, count(*), count(distinct user_key), null, sum(billable_tokens)
      from warehouse.fact_token_user_daily group by 1
      order by 1, 4`,
    )
  ).rows;

const users = async ({ database: { pool } }: Installation) =>
  (await pool.query('select user_id, user_email from warehouse.dim_user order by user_key')).rows;

test('a person who is forgotten is nowhere any more, and all totals stay', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-forgotten-'));
  await mkdir(join(directory, 'tmp'));
  const here = { environment: { DATA_DIR: directory } };
  report(installation);
  await loadInProcess(installation, `backfill ${command}`, here);
  await plantInLedger(installation);
  await writeFile(join(directory, 'tmp', 'received-left'), id);
  const before = await totals(installation);
  const known = await placesOf(pool, person, directory);
  for (const place of [
    'dim_user',
    'dim_tool',
    'dim_hook',
    'dim_skill',
    'rejected_row',
    'drift',
    'check_result',
  ])
    expect(
      known.some((each) => each.includes(place)),
      place,
    ).toBe(true);
  for (const place of [
    'etl.run',
    'etl.slice',
    'archive of users',
    'archive of tokens',
    'statistics',
    'received-left',
  ])
    expect(
      known.some((each) => each.includes(place)),
      place,
    ).toBe(true);

  const { code, json } = await commandInProcess(installation, `forget-user ${id}`, here);
  expect({ code, json }).toMatchObject({ code: 0, json: { outcome: 'forgotten', users: 1 } });
  expect(await placesOf(pool, person, directory)).toEqual([]);
  expect(await totals(installation)).toEqual(before);
  const pseudonym = expect.stringMatching(/^forgotten-[\da-f]{20}$/);
  expect(await users(installation)).toContainEqual({ user_id: pseudonym, user_email: pseudonym });
  expect(await users(installation)).toContainEqual({ user_id: 'user-bob', user_email: 'bob@corp.example' });
  await rm(directory, { recursive: true });
});

test('she stays forgotten, whatever is read, and unchanged answers are still recognized', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  report(installation);
  await loadInProcess(installation, `backfill ${command}`);
  const before = await totals(installation);
  expect((await commandInProcess(installation, `forget-user ${email.toUpperCase()}`)).code).toBe(0);
  expect(await placesOf(pool, person)).toEqual([]);
  const known = await users(installation);
  const nightly = `nightly --date ${last} --endpoints tokens,tools,users`;
  for (const again of [nightly, `backfill ${command} --force`, `replay ${command}`, nightly]) {
    const { code, summary } = await loadInProcess(installation, again);
    expect({ again, code }).toEqual({ again, code: 0 });
    expect(summary.rows).toMatchObject({ inserted: 0, updated: 0, deleted: 0 });
    expect(await placesOf(pool, person)).toEqual([]);
    expect(await totals(installation)).toEqual(before);
    expect(await users(installation)).toEqual(known);
  }
  // Of the archive that was rewritten, too, the ledger knows the digest of what the platform sends.
  const { rows } = await pool.query(
    `select endpoint, count(*)::integer from etl.raw_slice where is_rewritten group by 1 order by 1`,
  );
  expect(rows.map(({ endpoint }) => endpoint)).toEqual(['tokens', 'tools', 'users']);
  const { summary } = await loadInProcess(installation, `nightly --date ${last} --endpoints tokens`);
  expect(summary.slices).toMatchObject({ loaded: 0 });
});

test('a later correction reaches the same row', async () => {
  await using installation = await install({ users: 5 });
  report(installation);
  await loadInProcess(installation, `backfill ${command}`);
  await commandInProcess(installation, `forget-user ${id}`);
  const known = await users(installation);
  installation.dataset.overrideRows('users', day(first), [
    { user_id: id, user_email: 'Ann.Married@corp.example', date: first, sessions: 30, billable_tokens: 100 },
    { user_id: 'user-bob', user_email: 'bob@corp.example', date: first, sessions: 4, billable_tokens: 7 },
  ]);
  const { summary } = await loadInProcess(installation, `nightly --date ${last}`);
  expect(summary.rows).toMatchObject({ inserted: 0, updated: 1 });
  expect((await users(installation)).map(({ user_id }) => user_id)).toEqual(
    known.map(({ user_id }) => user_id),
  );
  expect(await placesOf(installation.database.pool, [...person, 'ann.married'])).toEqual([]);
  // The new e-mail is hers, too: it is withheld from whoever else comes with it, who is nobody but themselves.
  installation.dataset.overrideRows('users', day(last), [
    { user_id: 'user-second', user_email: 'ANN.MARRIED@corp.example', date: last, sessions: 1 },
    { user_id: 'user-bob', user_email: 'bob@corp.example', date: last, sessions: 4 },
  ]);
  await loadInProcess(installation, `nightly --date ${last}`);
  expect(await placesOf(installation.database.pool, [...person, 'ann.married'])).toEqual([]);
  expect(await users(installation)).toContainEqual({ user_id: 'user-second', user_email: null });
});

test('asked again there is nothing more to do; of an unknown person whatever comes later is forgotten', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  expect((await commandInProcess(installation, `forget-user ${email}`)).json).toMatchObject({
    outcome: 'nobody_known',
    users: 0,
  });
  report(installation);
  await loadInProcess(installation, `backfill ${command}`);
  expect(await placesOf(pool, person)).toEqual([]);
  for (const name of [email, id, oldEmail])
    expect(await commandInProcess(installation, `forget-user ${name}`)).toMatchObject({
      code: 0,
      json: { outcome: 'nothing_to_do', rows: 0, archive_chunks: 0 },
    });
  const { rows } = await pool.query(
    "select user_id from warehouse.dim_user where user_id like 'forgotten-%'",
  );
  expect(rows).toHaveLength(1);
  await expect(commandInProcess(installation, `forget-user ${rows[0]?.user_id}`)).rejects.toThrow(
    'the pseudonym of a forgotten person',
  );
});

test('with USER_EMAIL=none an e-mail that comes later still tells who is forgotten, as one person', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  const none = { environment: { USER_EMAIL: 'none' } };
  report(installation);
  installation.dataset.overrideRows('users', day(first), [
    { user_id: id, user_email: null, date: first, sessions: 3 },
    { user_id: email, user_email: null, date: first, sessions: 2 },
  ]);
  await loadInProcess(installation, `backfill ${command} --endpoints users,tools`, none);
  const before = await totals(installation);
  await commandInProcess(installation, `forget-user ${email}`, none);
  const { rows } = await pool.query("select user_id from warehouse.dim_user where user_id like 'e-mail-%'");
  expect(rows).toEqual([]);
  await loadInProcess(installation, `nightly --date ${last} --endpoints users,tools`, none);
  expect(await placesOf(pool, person)).toEqual([]);
  expect(await totals(installation)).toEqual(before);
  await loadInProcess(installation, `backfill ${command} --force`, none);
  await loadInProcess(installation, `replay ${command}`, none);
  expect(await placesOf(pool, person)).toEqual([]);
});
