import { expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import { mostLoads, openLoadQueue } from '../../../src/pipeline/load/load-queue.ts';
import type { Receipt } from '../../../src/pipeline/receive/receipt.ts';
import { sourceOf } from '../../support/samples.ts';
import { receiptOf } from '../../support/slice-loading.ts';

const users = sourceOf('users');
const tools = sourceOf('tools');
const dates = Array.from({ length: mostLoads + 3 }, (_, index) => `2026-01-${14 + index}`);
const [atOnce, later] = [dates.slice(0, mostLoads), dates.slice(mostLoads)];
const manyBytes = 1_000_000;

const receipt = (date: string, endpoint = 'users', records = '[]') => receiptOf(records, endpoint, day(date));
const keysOf = (receipts: readonly Receipt[]) => receipts.map(({ slice }) => slice.key);

/** Loads that end when they are told to. */
function heldLoads() {
  const groups: { source: string; days: string[]; end: PromiseWithResolvers<void> }[] = [];
  const load = (source: { name: string }, receipts: readonly Receipt[]) => {
    const group = { source: source.name, days: keysOf(receipts), end: Promise.withResolvers<void>() };
    groups.push(group);
    return group.end.promise;
  };
  const endAll = () => {
    for (const { end } of groups) end.resolve();
  };
  return { groups, load, endAll };
}

it('slices that come while others are being loaded are loaded together', async () => {
  const { groups, load, endAll } = heldLoads();
  const queue = openLoadQueue(load, manyBytes, () => undefined);
  for (const date of atOnce) await queue.add(users, [await receipt(date)]);
  const receipts = await Promise.all(later.map((date) => receipt(date)));
  const added = receipts.map((each) => queue.add(users, [each]));
  expect(groups.map(({ days }) => days)).toEqual(atOnce.map((date) => [date]));
  groups[0]?.end.resolve();
  await Promise.all(added);
  expect(groups.map(({ days }) => days)).toEqual([...atOnce.map((date) => [date]), later]);
  endAll();
  await queue.finish();
});

it('whoever hands slices over waits until they are being loaded, and no longer', async () => {
  const { groups, load, endAll } = heldLoads();
  const queue = openLoadQueue(load, manyBytes, () => undefined);
  for (const date of atOnce) await queue.add(users, [await receipt(date)]);
  let accepted = false;
  const next = queue.add(users, [await receipt('2026-01-31')]).then(() => {
    accepted = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(accepted).toBe(false);
  groups[1]?.end.resolve();
  await next;
  expect(groups).toHaveLength(mostLoads + 1);
  endAll();
  await queue.finish();
});

it('sources share the loads that may be under way, and no group holds slices of two of them', async () => {
  const { groups, load, endAll } = heldLoads();
  const queue = openLoadQueue(load, manyBytes, () => undefined);
  for (const date of atOnce) await queue.add(users, [await receipt(date)]);
  const added = [
    queue.add(tools, [await receipt('2026-01-14', 'tools')]),
    queue.add(users, [await receipt('2026-01-30')]),
    queue.add(tools, [await receipt('2026-01-15', 'tools')]),
  ];
  expect(groups).toHaveLength(mostLoads);
  endAll();
  await Promise.all(added);
  expect(groups.slice(mostLoads)).toMatchObject([
    { source: 'tools', days: ['2026-01-14', '2026-01-15'] },
    { source: 'users', days: ['2026-01-30'] },
  ]);
  endAll();
  await queue.finish();
});

it('what waits is loaded in groups of a bounded size, and a delivery is never torn apart', async () => {
  const { groups, load, endAll } = heldLoads();
  const record = JSON.stringify([{ filler: 'x'.repeat(1_000) }]);
  const queue = openLoadQueue(load, 2_500, () => undefined);
  for (const date of atOnce) await queue.add(users, [await receipt(date)]);
  const full = await Promise.all(later.map((date) => receipt(date, 'users', record)));
  const delivery = await Promise.all(
    ['2026-02-01', '2026-02-02', '2026-02-03', '2026-02-04'].map((date) => receipt(date, 'users', record)),
  );
  const added = [...full.map((each) => queue.add(users, [each])), queue.add(users, delivery)];
  endAll();
  await Promise.all(added);
  expect(groups.slice(mostLoads).map(({ days }) => days)).toEqual([
    later.slice(0, 2),
    later.slice(2),
    keysOf(delivery),
  ]);
  endAll();
  await queue.finish();
});

it('what a load throws is told at once, and again in the end; the others are loaded', async () => {
  const heard: unknown[] = [];
  const loaded: string[] = [];
  const lost = new Error('the database is gone');
  const queue = openLoadQueue(
    async (_, receipts) => {
      if (keysOf(receipts).includes('2026-01-15')) throw lost;
      loaded.push(...keysOf(receipts));
    },
    manyBytes,
    (error) => heard.push(error),
  );
  for (const date of dates) await queue.add(users, [await receipt(date)]);
  await expect(queue.finish()).rejects.toBe(lost);
  expect(heard).toEqual([lost]);
  expect(loaded).toEqual(dates.filter((date) => date !== '2026-01-15'));
});

it('slices are let go of when they have been loaded, also where that failed', async () => {
  const released: string[] = [];
  const queue = openLoadQueue(
    async (_, receipts) => {
      expect(released).not.toContain(receipts[0]?.slice.key);
      if (keysOf(receipts).includes('2026-01-15')) throw new Error('no');
    },
    manyBytes,
    () => undefined,
  );
  for (const date of dates)
    await queue.add(users, [{ ...(await receipt(date)), release: async () => void released.push(date) }]);
  await expect(queue.finish()).rejects.toThrow('no');
  expect(released).toEqual(dates);
});
