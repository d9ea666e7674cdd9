import { expect, test } from 'vitest';
import { day } from '../../../src/model/day.ts';
import {
  ConfigurationError,
  CredentialsRefusedError,
  LockHeldError,
  WarehouseError,
} from '../../../src/model/errors.ts';
import { monthsOf, type QueueJob, readQueueJob } from '../../../src/model/queue-job.ts';
import { backfillJobs, nightlyJobs } from '../../../src/pipeline/queue/orders.ts';
import { afterWork, whileMissing } from '../../../src/pipeline/queue/what-follows.ts';
import { listedSources } from '../../../src/sources/registry.ts';

const last = day('2026-06-30');
const read = (task: 'nightly' | 'backfill', payload: unknown): QueueJob => {
  const job = readQueueJob(task, payload, last);
  if (typeof job === 'string') throw new Error(job);
  return job;
};
const night = read('nightly', { organization: 'acme', day: '2026-03-01' });
const backfill = (failures = 0) =>
  read('backfill', { organization: 'acme', from: '2026-03-01', to: '2026-03-31', failures });
const failed = (error: unknown) => ({ report: undefined, error, reason: 'why' });
const good = { report: undefined, error: undefined, reason: undefined };

test('a job that ended well is deleted, also while the worker stops', () => {
  expect(afterWork(night, good, true)).toEqual({ becomes: 'deleted' });
  expect(afterWork(backfill(), good, false)).toEqual({ becomes: 'deleted' });
});

test('wrong settings and refused credentials end a job, and so does any failure of a night', () => {
  const ended = { becomes: 'ended', reason: 'why' };
  for (const error of [new ConfigurationError(['x']), new CredentialsRefusedError('x', { status: 401 })]) {
    expect(afterWork(night, failed(error), false)).toEqual(ended);
    expect(afterWork(backfill(), failed(error), false)).toEqual(ended);
  }
  expect(afterWork(night, failed(undefined), false)).toEqual(ended);
});

test('a backfill that failed is due after 1, 5 and 30 minutes, and then it ends', () => {
  const minutes = [0, 1, 2].map((failures) => {
    const next = afterWork(backfill(failures), failed(new WarehouseError('x')), false);
    expect(next).toMatchObject({ becomes: 'due', payload: { failures: failures + 1, from: '2026-03-01' } });
    return next.becomes === 'due' ? next.afterMs / 60_000 : undefined;
  });
  expect(minutes).toEqual([1, 5, 30]);
  expect(afterWork(backfill(3), failed(undefined), false)).toEqual({ becomes: 'ended', reason: 'why' });
});

test('a locked organization is tried again after 30 s, uncounted, and a worker that stops gives its job back at once', () => {
  expect(afterWork(night, failed(new LockHeldError('x')), false)).toEqual({
    becomes: 'returned',
    afterMs: 30_000,
  });
  expect(afterWork(night, failed(new WarehouseError('x')), true)).toEqual({
    becomes: 'returned',
    afterMs: 0,
  });
});

test('a job without its organization is left to others, less and less often, and ends after a day', () => {
  const first = whileMissing(night, 1_000_000);
  expect(first).toMatchObject({ becomes: 'returned', afterMs: 1_000, payload: { missing_since: 1_000_000 } });
  const again = read('nightly', { organization: 'acme', day: '2026-03-01', missing_since: 0 });
  expect(whileMissing(again, 20_000)).toMatchObject({ afterMs: 20_000, payload: { missing_since: 0 } });
  expect(whileMissing(again, 3_600_000)).toMatchObject({ afterMs: 60_000 });
  expect(whileMissing(again, 86_400_000)).toMatchObject({
    becomes: 'ended',
    reason: expect.stringContaining('no worker has had acme'),
  });
});

test('months are cut at the ends of the range, and the newest comes first', () => {
  expect(monthsOf({ from: day('2026-01-14'), to: day('2026-03-02') })).toEqual([
    { from: '2026-03-01', to: '2026-03-02' },
    { from: '2026-02-01', to: '2026-02-28' },
    { from: '2026-01-14', to: '2026-01-31' },
  ]);
});

test('an order of sources without history alone has one job, and its payloads can be read', () => {
  const range = { from: day('2026-01-14'), to: day('2026-03-02') };
  const readiness = listedSources.filter(({ name }) => name === 'readiness');
  expect(backfillJobs(['acme'], { range, named: readiness, force: false })).toMatchObject([
    { key: 'backfill acme 2026-03 readiness', payload: { newest: true, asks_from: '2026-01-14' } },
  ]);
  for (const { payload } of backfillJobs(['acme'], { range, named: undefined, force: true }))
    expect(readQueueJob('backfill', payload, last)).toMatchObject({ payload: { force: true } });
  for (const { payload } of nightlyJobs(['acme'], range.to))
    expect(readQueueJob('nightly', payload, last)).toMatchObject({ payload: { day: '2026-03-02' } });
});
