import { expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { openLoadQueue } from '../../../src/pipeline/load/load-queue.ts';
import type { Receipt } from '../../../src/pipeline/receive/receipt.ts';
import { mostLoads } from '../../../src/pipeline/runs/connections-of-run.ts';
import { sourceOf } from '../../support/samples.ts';
import { receiptOf } from '../../support/slice-loading.ts';

const users = sourceOf('users');
const tools = sourceOf('tools');
const dates = Array.from({ length: mostLoads + 3 }, (_, index) => `2026-01-${14 + index}`);
const manyBytes = 1_000_000;
/** A record of some thousand bytes, and a group of two of them. */
const record = JSON.stringify([{ filler: 'x'.repeat(1_000) }]);
const bytesOfTwo = 2_500;

const receipt = (date: string, endpoint = 'users', records = '[]') => receiptOf(records, endpoint, day(date));
const receipts = (days: readonly string[], records = '[]') =>
  Promise.all(days.map((date) => receipt(date, 'users', records)));
const keysOf = (some: readonly Receipt[]) => some.map(({ slice }) => slice.key);
/** Whatever is ready to happen has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Loads that end when they are told to. */
function heldLoads() {
  const groups: { source: string; days: string[]; end: PromiseWithResolvers<void> }[] = [];
  const load = (source: { name: string }, some: readonly Receipt[]) => {
    const group = { source: source.name, days: keysOf(some), end: Promise.withResolvers<void>() };
    groups.push(group);
    return group.end.promise;
  };
  const endAll = () => {
    for (const { end } of groups) end.resolve();
  };
  return { groups, load, endAll, days: () => groups.map(({ days }) => days) };
}

it('the first slice of a source is loaded at once; what comes meanwhile is loaded together', async () => {
  const { groups, load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, manyBytes, () => undefined);
  for (const each of await receipts(dates)) await queue.add(users, [each]);
  expect(days()).toEqual([dates.slice(0, 1)]);
  groups[0]?.end.resolve();
  await settled();
  expect(days()).toEqual([dates.slice(0, 1), dates.slice(1)]);
  endAll();
  await queue.finish();
});

it('a full group waits for no other, while fewer than the most loads are under way', async () => {
  const { load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, bytesOfTwo, () => undefined);
  const full = dates.map(async (date) => queue.add(users, await receipts([date, date, date], record)));
  await settled();
  expect(days()).toHaveLength(mostLoads);
  endAll();
  await settled();
  endAll();
  await Promise.all(full);
  expect(days()).toHaveLength(dates.length);
  await queue.finish();
});

it('whoever hands slices over waits when a whole group waits to be loaded, and no longer', async () => {
  const { groups, load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, bytesOfTwo, () => undefined);
  const occupying = await Promise.all(
    ['tokens', 'tools', 'activity', 'productivity'].map(async (endpoint) =>
      queue.add(sourceOf(endpoint), [await receipt('2026-01-14', endpoint)]),
    ),
  );
  expect(occupying).toHaveLength(mostLoads);
  const [first, second, third] = await receipts(['2026-01-20', '2026-01-21', '2026-01-22'], record);
  if (first === undefined || second === undefined || third === undefined) throw new TypeError('no receipts');
  await queue.add(users, [first]);
  await queue.add(users, [second]);
  let accepted = false;
  const next = queue.add(users, [third]).then(() => {
    accepted = true;
  });
  await settled();
  expect(accepted).toBe(false);
  for (const { end } of groups) end.resolve();
  await next;
  expect(days().slice(mostLoads)).toEqual([['2026-01-20', '2026-01-21'], ['2026-01-22']]);
  endAll();
  await queue.finish();
});

it('what a full group leaves behind holds nobody up while there is room for more', async () => {
  const { load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, bytesOfTwo, () => undefined);
  const added = (await receipts(dates.slice(0, 4), record)).map((each) => queue.add(users, [each]));
  // The second and third fill a group, and the fourth waits alone: whoever brought it may bring more.
  await Promise.all(added);
  expect(days()).toEqual([dates.slice(0, 1), dates.slice(1, 3)]);
  endAll();
  await settled();
  endAll();
  await queue.finish();
  expect(days()).toHaveLength(3);
});

it('a group has a bounded number of slices, however small they are', async () => {
  const { load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, manyBytes, () => undefined);
  const many = await receipts(Array.from({ length: 250 }, () => '2026-01-14'));
  const added = many.map((each) => queue.add(users, [each]));
  await settled();
  endAll();
  await settled();
  endAll();
  await Promise.all(added);
  await queue.finish();
  expect(days().flat()).toHaveLength(250);
  expect(Math.max(...days().map(({ length }) => length))).toBe(100);
});

it('sources share the loads that may be under way, and no group holds slices of two of them', async () => {
  const { groups, load, endAll } = heldLoads();
  const queue = openLoadQueue(load, manyBytes, () => undefined);
  const others = ['tokens', 'activity', 'productivity'];
  for (const endpoint of others) await queue.add(sourceOf(endpoint), [await receipt('2026-01-14', endpoint)]);
  await queue.add(users, [await receipt('2026-01-14')]);
  expect(groups).toHaveLength(mostLoads);
  await queue.add(tools, [await receipt('2026-01-14', 'tools')]);
  await queue.add(users, [await receipt('2026-01-30')]);
  await queue.add(tools, [await receipt('2026-01-15', 'tools')]);
  expect(groups).toHaveLength(mostLoads);
  endAll();
  await settled();
  expect(groups.slice(mostLoads)).toMatchObject([
    { source: 'tools', days: ['2026-01-14', '2026-01-15'] },
    { source: 'users', days: ['2026-01-30'] },
  ]);
  endAll();
  await queue.finish();
});

it('what waits is loaded in groups of a bounded size, and a delivery is never torn apart', async () => {
  const { load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, bytesOfTwo, () => undefined);
  const [first, ...later] = await receipts(dates.slice(0, 4), record);
  const delivery = await receipts(['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04'], record);
  const added = [first, ...later].flatMap((each) => (each === undefined ? [] : [queue.add(users, [each])]));
  added.push(queue.add(users, delivery));
  await settled();
  while (days().length < 4) {
    endAll();
    await settled();
  }
  await Promise.all(added);
  expect(days()).toEqual([dates.slice(0, 1), dates.slice(1, 3), dates.slice(3, 4), keysOf(delivery)]);
  endAll();
  await queue.finish();
});

it('what a load throws is told at once, and again in the end; the others are loaded', async () => {
  const heard: unknown[] = [];
  const loaded: string[] = [];
  const lost = new Error('the database is gone');
  const queue = openLoadQueue(
    async (_, some) => {
      if (keysOf(some).includes('2026-01-15')) throw lost;
      loaded.push(...keysOf(some));
    },
    manyBytes,
    (error) => heard.push(error),
  );
  for (const date of dates) {
    await queue.add(users, [await receipt(date)]);
    await settled();
  }
  await expect(queue.finish()).rejects.toBe(lost);
  expect(heard).toEqual([lost]);
  expect(loaded).toEqual(dates.filter((date) => date !== '2026-01-15'));
});

it('slices are let go of when they have been loaded, also where that failed', async () => {
  const released: string[] = [];
  const queue = openLoadQueue(
    async (_, some) => {
      expect(released).not.toContain(some[0]?.slice.key);
      if (keysOf(some).includes('2026-01-15')) throw new Error('no');
    },
    manyBytes,
    () => undefined,
  );
  for (const date of dates)
    await queue.add(users, [{ ...(await receipt(date)), release: async () => void released.push(date) }]);
  await expect(queue.finish()).rejects.toThrow('no');
  expect(released).toEqual(dates);
});

it('what is too large to be in memory beside others is loaded alone, and passed by nobody', async () => {
  const { groups, load, endAll, days } = heldLoads();
  const queue = openLoadQueue(load, bytesOfTwo, () => undefined);
  const huge = JSON.stringify([{ filler: 'x'.repeat(2 * mostLoads * bytesOfTwo) }]);
  const [first, second, third] = await Promise.all([
    receipt('2026-01-14', 'users', huge),
    receipt('2026-01-15', 'users', huge),
    receipt('2026-01-16', 'tools'),
  ]);
  if (first === undefined || second === undefined || third === undefined) throw new TypeError('no receipts');
  const added = [queue.add(users, [first]), queue.add(users, [second]), queue.add(tools, [third])];
  await settled();
  const [one, two, three] = [['2026-01-14'], ['2026-01-15'], ['2026-01-16']];
  expect(days()).toEqual([one]);
  groups[0]?.end.resolve();
  await settled();
  expect(days()).toEqual([one, two]);
  groups[1]?.end.resolve();
  await settled();
  expect(days()).toEqual([one, two, three]);
  endAll();
  await Promise.all(added);
  await queue.finish();
});
