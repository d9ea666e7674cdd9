import { expect, it } from 'vitest';
import { day } from '../../src/model/day.ts';
import { type GatheredSlice, gatherSlice } from '../../src/pipeline/gathered-slice.ts';
import { createStoreQueues, mostStoresOfSource } from '../../src/pipeline/store-queues.ts';
import { sourceOf } from '../support/samples.ts';

const users = sourceOf('users');
const dayOf = (date: string) => gatherSlice(users, day(date), { appVersion: '1.0.0', keepRaw: false });
const dates = ['2026-01-14', '2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18'];

/** Stores that end when they are told to. */
function heldStores() {
  const groups: { days: string[]; end: PromiseWithResolvers<void> }[] = [];
  const store = (days: readonly GatheredSlice[]) => {
    const group = { days: days.map(({ slice }) => slice.key), end: Promise.withResolvers<void>() };
    groups.push(group);
    return group.end.promise;
  };
  return { groups, store };
}

it('days that come while others are being stored are stored together', async () => {
  const { groups, store } = heldStores();
  const queues = createStoreQueues(store, () => undefined);
  const added = dates.map((date) => queues.add(users, [dayOf(date)]));
  expect(groups.map(({ days }) => days)).toEqual(dates.slice(0, mostStoresOfSource).map((date) => [date]));
  groups[0]?.end.resolve();
  await Promise.all(added);
  expect(groups.map(({ days }) => days)).toEqual([
    ...dates.slice(0, mostStoresOfSource).map((date) => [date]),
    dates.slice(mostStoresOfSource),
  ]);
  for (const { end } of groups) end.resolve();
  await queues.finish();
});

it('whoever hands days over waits until they are being stored, and no longer', async () => {
  const { groups, store } = heldStores();
  const queues = createStoreQueues(store, () => undefined);
  for (const date of dates.slice(0, mostStoresOfSource)) await queues.add(users, [dayOf(date)]);
  let accepted = false;
  const next = queues.add(users, [dayOf('2026-01-18')]).then(() => {
    accepted = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(accepted).toBe(false);
  groups[1]?.end.resolve();
  await next;
  expect(groups).toHaveLength(mostStoresOfSource + 1);
  for (const { end } of groups) end.resolve();
  await queues.finish();
});

it('another source has a queue of its own', async () => {
  const { groups, store } = heldStores();
  const queues = createStoreQueues(store, () => undefined);
  for (const date of dates.slice(0, mostStoresOfSource)) await queues.add(users, [dayOf(date)]);
  const tools = sourceOf('tools');
  await queues.add(tools, [gatherSlice(tools, day('2026-01-14'), { appVersion: '1.0.0', keepRaw: false })]);
  expect(groups).toHaveLength(mostStoresOfSource + 1);
  for (const { end } of groups) end.resolve();
  await queues.finish();
});

it('what a store throws is told at once, and again in the end; the others are stored', async () => {
  const heard: unknown[] = [];
  const stored: string[] = [];
  const lost = new Error('the database is gone');
  const queues = createStoreQueues(
    async (days) => {
      for (const { slice } of days) {
        if (slice.key === '2026-01-15') throw lost;
        stored.push(slice.key);
      }
    },
    (error) => heard.push(error),
  );
  for (const date of dates) await queues.add(users, [dayOf(date)]);
  await expect(queues.finish()).rejects.toBe(lost);
  expect(heard).toEqual([lost]);
  expect(stored).toEqual(dates.filter((date) => date !== '2026-01-15'));
});

it('days that hold many rows are stored in groups of no more than ten thousand', async () => {
  const { groups, store } = heldStores();
  const queues = createStoreQueues(store, () => undefined);
  const fullDay = (date: string) => {
    const gathered = dayOf(date);
    const rows = Array.from({ length: 4_000 }, (_, index) => ({ date, user_id: `user_${index}` }));
    gathered.addArchived({ rows, mayHoldUnstorableCharacters: false });
    return gathered;
  };
  for (const date of dates.slice(0, mostStoresOfSource)) await queues.add(users, [dayOf(date)]);
  const added = dates.slice(mostStoresOfSource).map((date) => queues.add(users, [fullDay(date)]));
  for (const { end } of groups) end.resolve();
  await Promise.all(added);
  expect(groups.map(({ days }) => days.length)).toEqual([1, 1, 2, 1]);
  for (const { end } of groups) end.resolve();
  await queues.finish();
});
