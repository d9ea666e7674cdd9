import { afterEach, expect, it } from 'vitest';
import {
  CredentialsRefusedError,
  RequestFailedError,
  TooManyRejectedError,
} from '../../../src/model/errors.ts';
import { createSanitizer } from '../../../src/model/sanitize.ts';
import { sliceOf } from '../../../src/model/source.ts';
import { failSlice } from '../../../src/pipeline/load/load-context.ts';
import { type CuttingProxy, startCuttingProxy } from '../../support/cutting-proxy.ts';
import { sampleDay, sampleRow, sampleRows, sourceOf } from '../../support/samples.ts';
import { type SliceLoading, startSliceLoading } from '../../support/slice-loading.ts';

let loading: SliceLoading;
let proxy: CuttingProxy | undefined;

afterEach(async () => {
  await loading.close();
  await proxy?.close();
  proxy = undefined;
});

const slice = sliceOf(sourceOf('users'), sampleDay);
const state = () =>
  loading.query('select status, error, last_error, rejected_count::int, row_count::int from etl.slice');

it('a slice is there once when the connection is lost after the commit, before we hear of it', async () => {
  loading = await startSliceLoading(async (url) => {
    proxy = await startCuttingProxy(url);
    return proxy.url;
  });
  const [ada, bob] = await sampleRows('users');
  proxy?.cutAtNextCommit();
  await loading.load('users', [ada, bob, { ...bob, user_id: 7 }]);
  expect(proxy?.cuts).toBe(1);
  const [stored] = await loading.query(`
    select
      (select count(*)::int from warehouse.fact_user_daily) as users,
      (select count(*)::int from warehouse.bridge_user_language_daily) as languages,
      (select count(*)::int from etl.rejected_row) as rejected,
      (select count(*)::int from etl.raw_slice) as chunks,
      (select status from etl.slice) as status`);
  expect(stored).toEqual({ users: 2, languages: 2, rejected: 1, chunks: 1, status: 'loaded' });
});

it('a slice that fails again stays loaded, and the next good answer takes back what was said of it', async () => {
  loading = await startSliceLoading();
  const rows = await sampleRows('users');
  await loading.load('users', rows);
  await expect(loading.load('users', [await sampleRow('users', { sessions: 'x' })])).rejects.toThrow(
    TooManyRejectedError,
  );
  expect(await state()).toEqual([
    {
      status: 'loaded',
      error: null,
      last_error: expect.stringContaining('1 of the records of data[] cannot be loaded'),
      rejected_count: 1,
      row_count: 2,
    },
  ]);
  expect(await loading.query('select from etl.rejected_row')).toHaveLength(1);
  expect(await loading.load('users', rows)).toMatchObject({ result: 'unchanged', inserted: 0, updated: 0 });
  expect(await state()).toEqual([
    { status: 'loaded', error: null, last_error: null, rejected_count: 0, row_count: 2 },
  ]);
  expect(await loading.query('select from etl.rejected_row')).toEqual([]);
});

it('a slice of which nothing is held is failed, and loaded when it comes right', async () => {
  loading = await startSliceLoading();
  const rows = await sampleRows('users');
  await expect(loading.load('users', [null])).rejects.toThrow(TooManyRejectedError);
  expect(await state()).toMatchObject([
    { status: 'failed', error: expect.stringContaining('records of data[]'), last_error: null },
  ]);
  expect(await loading.load('users', rows)).toMatchObject({ result: 'loaded' });
  expect(await state()).toMatchObject([{ status: 'loaded', error: null, last_error: null }]);
});

it('a slice can fail for a reason that holds what Postgres text cannot', async () => {
  loading = await startSliceLoading();
  const redact = Object.assign((text: string) => text, createSanitizer([]));
  const error = new Error('the platform answered 400 (a\0b \ud800)');
  await failSlice({ ...loading.context, redact }, slice, error);
  expect(await state()).toMatchObject([{ error: 'the platform answered 400 (a\uFFFDb \uFFFD)' }]);
});

it('a failure says whether the platform answered, hides secrets, and leaves what stops the run to the run', async () => {
  loading = await startSliceLoading();
  const told: unknown[] = [];
  const context = {
    ...loading.context,
    redact: createSanitizer(['hidden']),
    onEvent: (event: unknown) => void told.push(event),
  };
  const unanswered = new RequestFailedError('no answer for hidden', {});
  expect(await failSlice(context, slice, unanswered)).toBe(false);
  expect(await failSlice(context, slice, new Error('of another day'))).toBe(true);
  expect(told).toMatchObject([
    { type: 'slice-failed', slice, error: unanswered, reason: 'no answer for [redacted]' },
    { type: 'slice-failed', reason: 'of another day' },
  ]);
  const refused = new CredentialsRefusedError('no', { status: 403 });
  await expect(failSlice(context, slice, refused)).rejects.toBe(refused);
  expect(told).toHaveLength(2);
});
