import { expect, it } from 'vitest';
import { day } from '../../../src/model/day.ts';
import type { LoadQueue } from '../../../src/pipeline/load/load-queue.ts';
import { openRecognizeQueue } from '../../../src/pipeline/load/recognize.ts';
import type { Receipt } from '../../../src/pipeline/receive/receipt.ts';
import { sourceOf } from '../../support/samples.ts';
import { receiptOf } from '../../support/slice-loading.ts';

const users = sourceOf('users');
const dates = ['2026-01-14', '2026-01-15', '2026-01-16'];
const keysOf = (receipts: readonly Receipt[]) => receipts.map(({ slice }) => slice.key);
const receipt = (date: string, records = '[]') => receiptOf(records, 'users', day(date));

/** A queue that recognizes all days but `news`, and cannot record those of `unfit`. */
function open({ news = [], unfit = [], batchBytes = 1_000_000, failure }: Partial<Setting> = {}) {
  const recorded: string[][] = [];
  const loaded: string[][] = [];
  const failed: unknown[] = [];
  const loads: LoadQueue = {
    add: async (_, receipts) => void loaded.push(keysOf(receipts)),
    finish: async () => undefined,
  };
  const queue = openRecognizeQueue({
    isRecognized: ({ slice }) => !news.includes(slice.key),
    record: async (receipts) => {
      if (failure !== undefined) throw failure;
      recorded.push(keysOf(receipts));
      return receipts.filter(({ slice }) => unfit.includes(slice.key));
    },
    loads,
    batchBytes,
    onFailed: (error) => void failed.push(error),
  });
  return { queue, recorded, loaded, failed };
}

interface Setting {
  readonly news: readonly string[];
  readonly unfit: readonly string[];
  readonly batchBytes: number;
  readonly failure: Error;
}

it('slices that are as they were are recorded together at the end of a run', async () => {
  const { queue, recorded, loaded } = open();
  for (const date of dates) await queue.add(users, [await receipt(date)]);
  await queue.finish();
  expect(recorded).toEqual([dates]);
  expect(loaded).toEqual([]);
});

it('a slice that changed is loaded at once', async () => {
  const { queue, recorded, loaded } = open({ news: ['2026-01-15'] });
  await queue.add(users, await Promise.all(dates.map((date) => receipt(date))));
  expect(loaded).toEqual([['2026-01-15']]);
  await queue.finish();
  expect(recorded).toEqual([['2026-01-14', '2026-01-16']]);
});

it('slices with many bytes do not wait for others', async () => {
  const records = JSON.stringify([{ user_id: 'u'.repeat(300) }]);
  const { queue, recorded } = open({ batchBytes: 600 });
  for (const date of dates) await queue.add(users, [await receipt(date, records)]);
  expect(recorded).toEqual([['2026-01-14', '2026-01-15']]);
  await queue.finish();
  expect(recorded.at(-1)).toEqual(['2026-01-16']);
});

it('a slice is recorded although no other one comes', async () => {
  const { queue, recorded } = open();
  await queue.add(users, [await receipt('2026-01-14')]);
  await expect.poll(() => recorded).toEqual([['2026-01-14']]);
  await queue.finish();
});

it('a slice whose rows are not those of the ledger is loaded', async () => {
  const { queue, loaded } = open({ unfit: ['2026-01-16'] });
  await queue.add(users, await Promise.all(dates.map((date) => receipt(date))));
  await queue.finish();
  expect(loaded).toEqual([['2026-01-16']]);
});

it('what stops the run is told at once and thrown at the end', async () => {
  const failure = new Error('the run was aborted');
  const { queue, failed } = open({ batchBytes: 0, failure });
  await queue.add(users, [await receipt('2026-01-14')]);
  expect(failed).toEqual([failure]);
  await expect(queue.finish()).rejects.toBe(failure);
});

it('what could not be recorded is let go of', async () => {
  const { queue } = open({ failure: new Error('the run was aborted') });
  const released: string[] = [];
  const held = await receipt('2026-01-14');
  await queue.add(users, [{ ...held, release: async () => void released.push(held.slice.key) }]);
  await expect(queue.finish()).rejects.toThrow('the run was aborted');
  expect(released).toEqual(['2026-01-14']);
});
