import { expect, test } from 'vitest';
import type { OnRunEvent } from '../../../src/model/run.ts';
import { inTurns } from '../../../src/pipeline/organizations/in-turns.ts';

/** Work that ends when it is told to. */
function heldWork() {
  const begun: { item: number; onEvent: OnRunEvent; end: PromiseWithResolvers<number> }[] = [];
  const work = (item: number, onEvent: OnRunEvent) => {
    const end = Promise.withResolvers<number>();
    begun.push({ item, onEvent, end });
    return end.promise;
  };
  return { begun, work };
}

const items = (count: number) => Array.from({ length: count }, (_, index) => index);
const asks = { type: 'budget-waited', waitedMs: 0 } as const;
const answered = {
  type: 'attempt-ended',
  purpose: undefined,
  method: 'GET',
  path: '/',
  status: 200,
  retry: 0,
  durationMs: 1,
} as const;

test('so many work at a time, in order, and the results keep it', async () => {
  const { begun, work } = heldWork();
  const results = inTurns(items(4), { atOnce: 2, unansweredMs: 60_000 }, work);
  expect(begun.map(({ item }) => item)).toEqual([0, 1]);
  begun[1]?.end.resolve(11);
  await expect.poll(() => begun.length).toBe(3);
  for (let index = 0; index < 4; index++) {
    await expect.poll(() => begun.length).toBeGreaterThan(index);
    begun[index]?.end.resolve(10 + index);
  }
  expect(await results).toEqual([10, 11, 12, 13]);
});

test('one that waits for the platform does not count until it is answered, and 64 are under way at most', async () => {
  const { begun, work } = heldWork();
  const results = inTurns(items(70), { atOnce: 1, unansweredMs: 5 }, async (item, onEvent) => {
    const ending = work(item, onEvent);
    onEvent(asks);
    return ending;
  });
  await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(64);
  // An answer: it works again, so nobody begins in the place of the one that ends.
  begun[1]?.onEvent(answered);
  begun[0]?.end.resolve(0);
  await expect.poll(() => begun.length).toBe(64);
  begun[1]?.onEvent({ type: 'retry', path: '/', retry: 1, waitMs: 60_000, reason: 'broken' });
  await expect.poll(() => begun.length).toBe(65);
  for (let index = 0; index < 70; index++) {
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBeGreaterThan(index);
    begun[index]?.end.resolve(index);
  }
  expect(await results).toEqual(items(70));
});
