/** `forget-user` takes exactly whom it names: whose an address is, whoever has it, had it, or comes with it later. */
import { expect, test } from 'vitest';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';
import {
  addressOf,
  allWith,
  archivedWith,
  figures,
  first,
  ids,
  loadAll,
  loadSharedMailbox,
  pseudonym,
  reportUsers,
  second,
  shared,
  third,
  users,
} from '../support/shared-mailbox.ts';

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
