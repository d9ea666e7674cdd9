/** Computers, from what a platform says on each day to the tables. */
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { sendJson } from '../support/answering-server.ts';
import { startComputerSnapshots } from '../support/computer-snapshots.ts';
import { expectedComputers, storedComputers } from '../support/computer-warehouse.ts';
import { driftRows, rejectedRows, sliceRow, sliceStatuses } from '../support/ledger-rows.ts';

let platform: Awaited<ReturnType<typeof startComputerSnapshots>>;

beforeEach(async () => {
  platform = await startComputerSnapshots();
});

afterEach(() => platform[Symbol.asyncDispose]());

const [first, second, third] = [day('2026-03-10'), day('2026-03-11'), day('2026-03-12')];

const step = (id: string, changes: object = {}) => ({
  id,
  name: `step ${id}`,
  status: 'completed',
  startedAt: 1_773_000_000,
  completedAt: 1_773_000_060_500,
  ...changes,
});
const computer = (id: string, changes: object = {}) => ({
  id,
  name: `name of ${id}`,
  providerType: 'byom',
  createdAt: 1_773_000_000,
  status: 'active',
  provisioningSteps: [step('a'), step('b')],
  clonedRepoDirectories: ['/workspace/web'],
  ...changes,
});

/** The tables hold what the platform said. */
async function expectHeld() {
  expect(await storedComputers(platform.database.pool)).toEqual(expectedComputers(platform.said));
}

describe('a snapshot', () => {
  test('is held to the last field, with times in seconds or milliseconds', async () => {
    const everything = {
      hostId: '0B0F6C0A-8a2c-11ee-b9d1-0242ac120002',
      hostname: 'build.example.com',
      relayClientUrl: 'wss://relay.example.com/c',
      relayAgentUrl: 'wss://relay.example.com/a',
      remoteUser: 'ada',
      clonedRepoDirectories: ['/w/a', '/w/b', ''],
      ownerPrincipalKind: 'user',
      ownerId: 'user_1',
      computerSource: { kind: 'template', templateId: 't1' },
      createdAt: 1_773_000_000_123,
      provisioningSteps: [step('a', { error: 'tab\tand \\ and\nline', installSessionId: 's' })],
    };
    const { summary } = await platform.night(first, [
      computer('c1', everything),
      computer('c2', { status: undefined, provisioningSteps: undefined, clonedRepoDirectories: undefined }),
      computer('c3', { provisioningSteps: [], clonedRepoDirectories: [], computerSource: null }),
      computer('c4', { createdAt: 99_999_999_999 }),
      computer('c5', { createdAt: 100_000_000_000 }),
    ]);
    expect(summary.sources).toMatchObject({ computers: 'loaded' });
    expect(platform.queries()).toEqual(['?includeProvisioningSteps=true']);
    await expectHeld();
    expect((await driftRows(platform.database.pool, 'computers', 'missing_field')).length).toBe(0);
    expect((await platform.night(first, platform.said[first] ?? [])).summary.sources).toMatchObject({
      computers: 'unchanged',
    });
  });

  test('is replaced by the next one of that day: restated, renamed, gone', async () => {
    await platform.night(first, [computer('c1'), computer('c2'), computer('c3')]);
    await platform.night(first, [
      computer('c1', {
        name: 'renamed',
        status: 'error',
        provisioningSteps: [step('b', { status: 'failed' })],
      }),
      computer('c3', { clonedRepoDirectories: undefined, provisioningSteps: undefined }),
      computer('c4'),
    ]);
    const { dimension, ...facts } = expectedComputers(platform.said);
    const { dimension: stored, ...held } = await storedComputers(platform.database.pool);
    expect(held).toEqual(facts);
    // The one that is gone was seen, and stays a row of the dimension.
    expect(stored.filter(([id]) => id !== 'c2')).toEqual(dimension);
    expect(stored.find(([id]) => id === 'c2')).toContain('name of c2');
  });

  test('leaves those of other days alone; attributes are those last seen', async () => {
    await platform.night(first, [computer('c1', { ownerId: 'u' }), computer('c2')]);
    await platform.night(second, [computer('c1', { name: 'web', providerType: 'other' })]);
    await platform.night(third, [computer('c2', { name: 'name of c1' }), computer('c1', { name: 'web-2' })]);
    await expectHeld();
    expect(await sliceStatuses(platform.database.pool)).toMatchObject({
      [`computers ${first}`]: 'loaded',
      [`computers ${second}`]: 'loaded',
      [`computers ${third}`]: 'loaded',
    });
  });

  test('without computers is empty at once, and takes away what was read before on that day', async () => {
    const { summary } = await platform.night(first, []);
    expect(summary).toMatchObject({ slices: { empty: 1 }, sources: { computers: 'empty' } });
    expect(await sliceRow(platform.database.pool, 'computers', first)).toMatchObject({ status: 'empty' });
    await platform.night(second, [computer('c1')]);
    await platform.night(second, []);
    expect((await storedComputers(platform.database.pool)).computers).toEqual([]);
    expect(await sliceRow(platform.database.pool, 'computers', second)).toMatchObject({ status: 'empty' });
  });

  test('comes back from the archive as it was, without making anything older the last seen', async () => {
    await platform.night(first, [computer('c1'), computer('c1', { name: 'twice' }), computer('c2')]);
    await platform.night(second, [computer('c1', { name: 'newer' }), computer('c3')]);
    const held = await storedComputers(platform.database.pool);
    for (const table of [
      'fact_computer_step_daily',
      'bridge_computer_repository_daily',
      'fact_computer_daily',
    ])
      await platform.rows(`delete from warehouse.${table}`);
    await platform.rows('delete from warehouse.dim_computer');
    expect((await platform.replay(third)).code).toBe(0);
    expect(await storedComputers(platform.database.pool)).toEqual(held);
    await expectHeld();
  });
});

describe('what is not as documented', () => {
  test('is loaded: states, providers, kinds, fields and units that nobody documented', async () => {
    await platform.night(first, [
      computer('c1', { status: 'hibernating', providerType: '', colour: 'red', hostId: 'no uuid' }),
      computer('c2', { computerSource: { kind: 'snapshot' }, name: 'x'.repeat(3_000) }),
      computer('c3', { provisioningSteps: [step('a', { status: 'skipped', retries: 3 }), { id: 's' }] }),
      computer('c4', { name: '', status: '', remoteUser: '' }),
      { id: 'c5' },
    ]);
    await expectHeld();
    const unknown = await driftRows(platform.database.pool, 'computers', 'unknown_field');
    expect(unknown.map(({ path }) => path).sort()).toEqual(['colour', 'provisioningSteps[].retries']);
    const missing = await driftRows(platform.database.pool, 'computers', 'missing_field');
    expect(missing.map(({ path }) => path).sort()).toEqual(['name', 'providerType']);
  });

  test('the same computer, step or directory twice: the last one holds', async () => {
    const steps = [step('a', { status: 'failed' }), step('b'), step('a', { error: 'late' })];
    await platform.night(first, [
      computer('c1', { provisioningSteps: [step('z')], clonedRepoDirectories: ['/old'] }),
      computer('c2'),
      computer('c1', { provisioningSteps: steps, clonedRepoDirectories: ['/a', '/b', '/a'], name: 'last' }),
    ]);
    await expectHeld();
    expect((await driftRows(platform.database.pool, 'computers', 'duplicate_key')).length).toBeGreaterThan(0);
  });

  test('what cannot be read is kept in quarantine, and its rows stay', async () => {
    await platform.night(first, [computer('c1'), computer('c2'), computer('c3')]);
    const held = await storedComputers(platform.database.pool);
    await platform.night(first, [
      computer('c1', { status: 7 }),
      computer('c2', { provisioningSteps: [step('a', { startedAt: 'soon' }), step('b')] }),
      computer('c3'),
      { name: 'nobody' },
    ]);
    expect(await storedComputers(platform.database.pool)).toEqual(held);
    expect(await rejectedRows(platform.database.pool, 'computers')).toHaveLength(3);
  });

  test('what should be a list of directories and is none leaves them, and is not counted', async () => {
    await platform.night(first, [computer('c1')]);
    const held = await storedComputers(platform.database.pool);
    await platform.night(first, [computer('c1', { clonedRepoDirectories: {} })]);
    const count = await platform.rows('select repository_count from warehouse.fact_computer_daily');
    expect(count).toEqual([[null]]);
    await platform.night(first, [computer('c1')]);
    expect(await storedComputers(platform.database.pool)).toEqual(held);
  });
});

test('with USER_EMAIL=none no address stays in what is known of a computer', async () => {
  const owned = computer('c1', { ownerId: 'ada@example.com', name: 'of ada@example.com' });
  const attributes = async () =>
    (
      await platform.rows(
        "select owner_id, computer_name from warehouse.dim_computer where computer_id = 'c1'",
      )
    )[0];
  await platform.night(first, [owned]);
  expect(await attributes()).toEqual(['ada@example.com', 'of ada@example.com']);
  // The platform lists it no more: what is known of it is what was stored.
  await platform.night(second, [computer('c2')], { USER_EMAIL: 'none' });
  const withheld = await attributes();
  expect(withheld).toEqual([expect.stringMatching(/^e-mail-/), expect.stringMatching(/^of e-mail-/)]);
  await platform.night(third, [owned], { USER_EMAIL: 'none' });
  expect(await attributes()).toEqual(withheld);
});

describe('a platform that refuses', () => {
  function refuse(response: ServerResponse, status: number): true {
    sendJson(response, { title: 'no', status }, status);
    return true;
  }

  test.each([400, 413, 422])('to tell steps as well (%i) is asked without them', async (status) => {
    platform.spoil((response, query) => query.size > 0 && refuse(response, status));
    const { summary } = await platform.night(first, [computer('c1', { provisioningSteps: undefined })]);
    expect(summary.sources).toMatchObject({ computers: 'loaded' });
    expect(platform.queries()).toEqual(['?includeProvisioningSteps=true', '']);
    await expectHeld();
  });

  test('every request (400) fails the snapshot', async () => {
    platform.spoil((response) => refuse(response, 400));
    const { code, summary } = await platform.night(first, []);
    expect({ code, sources: summary.sources }).toMatchObject({ code: 1, sources: { computers: 'failed' } });
    expect(platform.queries()).toHaveLength(2);
  });

  test.each([403, 404])('its computers (%i) need not have them, unless they must work', async (status) => {
    platform.spoil((response) => refuse(response, status));
    const night = await platform.night(first, []);
    expect(night).toMatchObject({ code: 0, summary: { sources: { computers: 'unavailable' } } });
    expect(await sliceRow(platform.database.pool, 'computers', first)).toBeUndefined();
    const failed = { code: 1, summary: { sources: { computers: 'failed' } } };
    expect(await platform.night(first, [], { SOURCES: 'computers' })).toMatchObject(failed);
    expect(await platform.read(first)).toMatchObject(failed);
  });
});
