/** `forget-user` takes exactly whom it names: whose an address is, whoever has it, had it, or comes with it later. */
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';

const [first, second, third] = ['2026-01-14', '2026-01-15', '2026-01-16'] as const;
const shared = 'team@corp.example';
const ids = Array.from({ length: 10 }, (_, index) => `planted-${index}`);
const addressOf = (id: string) => `${id}@home.example`;
const pseudonym = expect.stringMatching(/^forgotten-[\da-f]{20}$/);

/** Users of a day by the address that `/users` says they have. */
function reportUsers(
  { dataset }: Installation,
  of: string,
  emails: Readonly<Record<string, string | null>>,
): void {
  dataset.overrideRows(
    'users',
    day(of),
    Object.entries(emails).map(([user_id, user_email], index) => ({
      user_id,
      user_email,
      date: of,
      sessions: index + 1,
      billable_tokens: 10 * (index + 1),
    })),
  );
}

/** The same in `/tokens`. */
function reportTokens(
  { dataset }: Installation,
  of: string,
  emails: Readonly<Record<string, string | null>>,
): void {
  const by_user = Object.entries(emails).map(([user_id, user_email], index) => ({
    user_id,
    user_email,
    billable_tokens: index + 1,
    by_model: [],
  }));
  dataset.overrideRows('tokens', day(of), [{ date: of, billable_tokens: 55, by_user, by_model: [] }]);
}

const allWith = (email: (id: string) => string | null) =>
  Object.fromEntries(ids.map((id) => [id, email(id)]));

/** Ten users with addresses of their own, who had one mailbox together on the first day, as only `/tokens` says. */
async function loadSharedMailbox(installation: Installation): Promise<void> {
  for (const of of [first, second]) {
    reportUsers(installation, of, allWith(addressOf));
    reportTokens(
      installation,
      of,
      allWith((id) => (of === first ? shared : addressOf(id))),
    );
  }
  await loadAll(installation);
}

const loadAll = (installation: Installation) =>
  loadInProcess(installation, `backfill --from ${first} --to ${third} --endpoints users,tokens --force`);

const users = async ({ database: { pool } }: Installation) =>
  (
    await pool.query(
      "select user_id, user_email from warehouse.dim_user order by user_id not like 'forgotten-%', user_id",
    )
  ).rows;

const figures = async ({ database: { pool } }: Installation) =>
  (
    await pool.query(`
      select usage_date::text, count(*), count(distinct user_key), sum(billable_tokens) from warehouse.fact_user_daily group by 1
      union all
      select usage_date::text, count(*), count(distinct user_key), sum(billable_tokens) from warehouse.fact_token_user_daily group by 1
      order by 1, 4`)
  ).rows;

/** The rows of the archive in which an address stands. */
const archivedWith = async ({ database: { pool } }: Installation, name: string) =>
  (await placesOf(pool, [name])).filter((place) => place.startsWith('archive')).length;

test('of users who shared a mailbox one is forgotten, and the others keep it, whatever comes later', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  await loadSharedMailbox(installation);
  const before = await figures(installation);
  const told = await installation.run('forget-user planted-3 --json');
  expect(told.code).toBe(0);
  expect(told.stderr).toMatch(/1 user\n.*planted-3 of org_test; team@corp\.example is shared/);
  expect(JSON.parse(told.stdout)).toMatchObject({
    outcome: 'forgotten',
    users: 1,
    persons: [{ organization: 'org_test', user_id: 'planted-3', shared_emails: [shared] }],
  });
  const others = ids.filter((id) => id !== 'planted-3');
  const expectOnlyHim = async () => {
    expect(await placesOf(pool, ['planted-3'])).toEqual([]);
    expect((await users(installation)).toSorted((a, b) => (a.user_id < b.user_id ? -1 : 1))).toEqual([
      { user_id: pseudonym, user_email: pseudonym },
      ...others.map((id) => ({ user_id: id, user_email: addressOf(id) })),
    ]);
    expect(await figures(installation)).toEqual(before);
  };
  await expectOnlyHim();
  const archive = (await placesOf(pool, [shared])).find((place) => place.includes('archive')) ?? '';
  expect(archive.match(/forgotten-[\da-f]{20}","user_email":null/g)).toHaveLength(1);

  await loadAll(installation);
  await loadInProcess(installation, `replay --from ${first} --to ${second}`);
  await expectOnlyHim();
  expect(await archivedWith(installation, shared)).toBe(1);

  // All of them come with it again: he has no address there, they have.
  reportUsers(
    installation,
    third,
    allWith(() => shared.toUpperCase()),
  );
  const { code, summary } = await loadAll(installation);
  expect({ code, summary }).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
  expect(summary).not.toHaveProperty('forgotten');
  expect(await placesOf(pool, ['planted-3'])).toEqual([]);
  expect((await users(installation)).filter(({ user_email }) => user_email === shared.toUpperCase())).toEqual(
    others.map((id) => ({ user_id: id, user_email: shared.toUpperCase() })),
  );
});

test('by the e-mail of a mailbox everybody who ever had it is forgotten, once somebody has agreed to so many', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  await loadSharedMailbox(installation);
  const before = await figures(installation);
  const held = await placesOf(pool, ['planted']);

  const dry = await commandInProcess(installation, `forget-user ${shared} --dry-run`);
  expect(dry).toMatchObject({ code: 0, json: { dry_run: true, users: 10 } });
  expect(dry.json).toMatchObject({
    persons: ids.map((user_id) => ({ organization: 'org_test', user_id, shared_emails: [] })),
  });
  const refused = await installation.run(`forget-user ${shared}`);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('because the name means 10 users');
  for (const id of ids) expect(refused.stderr).toContain(id);
  expect(await placesOf(pool, ['planted'])).toEqual(held);
  expect((await pool.query('select from etl.forgotten_name')).rowCount).toBe(0);

  const done = await commandInProcess(installation, `forget-user ${shared.toUpperCase()} --yes`);
  expect(done).toMatchObject({ code: 0, json: { outcome: 'forgotten', users: 10 } });
  expect(await placesOf(pool, ['planted', shared])).toEqual([]);
  const names = (await users(installation)).map(({ user_id }) => user_id);
  expect(names).toEqual(ids.map(() => pseudonym));
  expect(new Set(names).size).toBe(10);
  expect(await figures(installation)).toEqual(before);
});

test('an address that was handed on stays with its new owner', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  const recycled = 'planted.ann@corp.example';
  reportUsers(installation, first, { 'planted-old': recycled, bob: 'bob@corp.example' });
  reportUsers(installation, second, { 'planted-old': null, 'user-new': recycled });
  await loadAll(installation);
  expect(await commandInProcess(installation, 'forget-user planted-old')).toMatchObject({
    code: 0,
    json: { users: 1, persons: [{ user_id: 'planted-old', shared_emails: [recycled] }] },
  });
  expect(await placesOf(pool, ['planted-old'])).toEqual([]);
  expect(await users(installation)).toEqual([
    { user_id: pseudonym, user_email: null },
    { user_id: 'bob', user_email: 'bob@corp.example' },
    { user_id: 'user-new', user_email: recycled },
  ]);
  // Only the archive still knows that the old owner had it, and it has forgotten, too.
  await loadInProcess(installation, `replay --from ${first} --to ${second}`);
  expect(await archivedWith(installation, recycled)).toBe(1);
  expect(await users(installation)).toContainEqual({ user_id: 'user-new', user_email: recycled });
  // Nobody else has it now: with the new owner it goes.
  await commandInProcess(installation, 'forget-user user-new');
  expect(await placesOf(pool, ['user-new', recycled])).toEqual([]);
  const names = (await users(installation)).map(({ user_id }) => user_id);
  expect(new Set(names).size).toBe(3);
});

test('a later answer that gives a forgotten address to somebody else withholds it, and forgets nobody', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  const address = 'planted.ann@corp.example';
  reportUsers(installation, first, { 'planted-ann': address, bob: 'bob@corp.example' });
  await loadAll(installation);
  await commandInProcess(installation, 'forget-user planted-ann');
  reportUsers(installation, second, { bob: address.toUpperCase(), cid: address });
  reportTokens(installation, second, { bob: address, cid: address });
  const { code, summary } = await loadAll(installation);
  expect(code).toBe(0);
  expect(summary).not.toHaveProperty('forgotten');
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  expect(await users(installation)).toEqual([
    { user_id: pseudonym, user_email: pseudonym },
    { user_id: 'bob', user_email: 'bob@corp.example' },
    { user_id: 'cid', user_email: null },
  ]);
});

test('where the request was by e-mail, whoever comes with it later is drawn in, counted and warned of', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  const address = 'planted.ann@corp.example';
  reportUsers(installation, first, { 'planted-ann': address, bob: 'planted.bob@corp.example' });
  await loadAll(installation);
  await commandInProcess(installation, `forget-user ${address}`);
  expect((await users(installation)).map(({ user_id }) => user_id)).toEqual([pseudonym, 'bob']);
  reportTokens(installation, second, {
    bob: address.toUpperCase(),
    'planted-cid': address,
    dan: 'dan@corp.example',
  });
  const { code, stdout, stderr } = await installation.run(
    `backfill --from ${first} --to ${second} --endpoints users,tokens --force --json`,
    { LOG_LEVEL: 'warn' },
  );
  expect({ code, summary: JSON.parse(stdout) }).toMatchObject({ code: 0, summary: { forgotten: 2 } });
  expect(stderr).toContain('came with an e-mail');
  expect(stdout + stderr).not.toContain('planted');
  // What was known of them goes, too.
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  const names = (await users(installation)).map(({ user_id }) => user_id);
  expect(names).toEqual([pseudonym, pseudonym, pseudonym, 'dan']);
  expect(new Set(names).size).toBe(4);
  const again = await loadAll(installation);
  expect(again.summary).not.toHaveProperty('forgotten');
});

test('a forgotten user who comes with the address of somebody else leaves it theirs; a new one goes', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  reportUsers(installation, first, { 'planted-ann': null, bob: 'bob@corp.example', cid: 'c@corp.example' });
  reportUsers(installation, second, { bob: 'bob.new@corp.example' });
  await loadAll(installation);
  await commandInProcess(installation, 'forget-user planted-ann');
  // One that bob had once, and one that nobody had, which somebody else names, too.
  reportUsers(installation, third, { 'planted-ann': 'BOB@corp.example', cid: 'c@corp.example' });
  reportTokens(installation, third, { 'planted-ann': 'planted.new@corp.example' });
  installation.dataset.overrideRows('tools', day(third), [
    { date: third, tool_calls: 1, by_tool: [{ tool: 'mail planted.new@corp.example', invocations: 1 }] },
  ]);
  const load = `backfill --from ${first} --to ${third} --endpoints users,tokens,tools --force`;
  expect((await loadInProcess(installation, load)).code).toBe(0);
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  expect(await users(installation)).toEqual([
    { user_id: pseudonym, user_email: null },
    { user_id: 'bob', user_email: 'bob.new@corp.example' },
    { user_id: 'cid', user_email: 'c@corp.example' },
  ]);
  reportUsers(installation, third, {
    'planted-ann': 'planted.new@corp.example',
    bob: 'bob@corp.example',
    cid: 'Planted.New@corp.example',
  });
  expect((await loadInProcess(installation, load)).summary).not.toHaveProperty('forgotten');
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  expect((await users(installation)).slice(1)).toEqual([
    { user_id: 'bob', user_email: 'bob@corp.example' },
    { user_id: 'cid', user_email: 'c@corp.example' },
  ]);
});

test('whoever was in a team by a shared mailbox is counted for the team still', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  reportUsers(installation, first, { 'planted-ann': shared, bob: shared, cid: 'cid@corp.example' });
  await loadAll(installation);
  await pool.query(
    `insert into warehouse.person_assignment (org_key, user_email, team, valid_from)
    select org_key, $1, 'Search', '2026-01-14' from warehouse.dim_org`,
    [shared.toUpperCase()],
  );
  const credits = async () =>
    (
      await pool.query(
        `select team, sum(billable_tokens) as credits
        from warehouse.fact_user_daily join warehouse.assigned_team using (org_key, user_key) group by team`,
      )
    ).rows;
  const before = await credits();
  expect(before).toEqual([{ team: 'Search', credits: '30' }]);
  await commandInProcess(installation, 'forget-user planted-ann');
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  expect(await users(installation)).toContainEqual({ user_id: 'bob', user_email: shared });
  expect(await credits()).toEqual(before);
});

test('a user id means that user of every organization, and nobody is asked twice for one user', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  reportUsers(installation, first, { 'planted-ann': 'planted@corp.example', bob: null });
  await loadAll(installation);
  await pool.query(`
    insert into warehouse.dim_org (org_id) values ('org_other');
    insert into warehouse.dim_user (org_key, user_id, user_email)
    select org_key, u.user_id, u.user_email
    from warehouse.dim_org, (values ('planted-ann', 'ann@home.example'), ('dan', 'planted@corp.example')) as u (user_id, user_email)
    where org_id = 'org_other'`);
  expect(await commandInProcess(installation, 'forget-user planted-ann')).toMatchObject({
    code: 0,
    json: {
      users: 1,
      persons: [
        { organization: 'org_test', user_id: 'planted-ann', shared_emails: ['planted@corp.example'] },
        { organization: 'org_other', user_id: 'planted-ann' },
      ],
    },
  });
  expect(await placesOf(pool, ['planted-ann', 'ann@home.example'])).toEqual([]);
  expect(await users(installation)).toContainEqual({ user_id: 'dan', user_email: 'planted@corp.example' });
});

test('whom a name means is said by a server that is read-only, too', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  await loadSharedMailbox(installation);
  const names = [shared, 'planted-3', addressOf('planted-3'), 'nobody'];
  const told = () =>
    Promise.all(
      names.map(async (name) => (await commandInProcess(installation, `forget-user ${name} --dry-run`)).json),
    );
  const before = await told();
  expect(before.map((json) => json)).toMatchObject([{ users: 10 }, { users: 1 }, { users: 1 }, { users: 0 }]);
  const { rows } = await pool.query('select current_database() as name');
  await pool.query(`alter database ${rows[0].name} set default_transaction_read_only = on`);
  expect(await told()).toEqual(before);
});

test('an address that was withheld draws in whoever comes with it once somebody asked by it', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  const address = 'planted.ann@corp.example';
  reportUsers(installation, first, { 'planted-ann': address });
  await loadAll(installation);
  await commandInProcess(installation, 'forget-user planted-ann');
  expect((await commandInProcess(installation, `forget-user ${address}`)).json).toMatchObject({
    outcome: 'nothing_to_do',
  });
  reportUsers(installation, second, { 'planted-cid': address, bob: null });
  expect((await loadAll(installation)).summary).toMatchObject({ forgotten: 1 });
  expect(await placesOf(pool, ['planted'])).toEqual([]);
});

test('of a mailbox of two and a recycled address, both owners may be forgotten one by one', async () => {
  await using installation = await install({ users: 0 });
  const { pool } = installation.database;
  const recycled = 'planted.recycled@corp.example';
  reportUsers(installation, first, { 'planted-old': recycled, 'planted-new': shared, bob: shared });
  reportUsers(installation, second, {
    'planted-old': shared,
    'planted-new': recycled,
    bob: 'bob@corp.example',
  });
  await loadAll(installation);
  const before = await figures(installation);
  for (const name of ['planted-old', 'planted-new']) {
    expect(await commandInProcess(installation, `forget-user ${name}`)).toMatchObject({
      code: 0,
      json: { outcome: 'forgotten', users: 1 },
    });
    await loadInProcess(installation, `replay --from ${first} --to ${second}`);
    await loadAll(installation);
    expect(await placesOf(pool, [name])).toEqual([]);
    expect(await figures(installation)).toEqual(before);
  }
  expect(await placesOf(pool, ['planted'])).toEqual([]);
  expect(await users(installation)).toContainEqual({ user_id: 'bob', user_email: 'bob@corp.example' });
  expect(new Set((await users(installation)).map(({ user_id }) => user_id)).size).toBe(3);
});
