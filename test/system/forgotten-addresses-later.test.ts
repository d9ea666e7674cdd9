/** Addresses of forgotten persons that come again in later answers. */
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { install } from '../support/installation.ts';
import { placesOf } from '../support/named-places.ts';
import {
  first,
  loadAll,
  pseudonym,
  reportTokens,
  reportUsers,
  second,
  third,
  users,
} from '../support/shared-mailbox.ts';

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
