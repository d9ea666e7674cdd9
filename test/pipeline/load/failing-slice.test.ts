import { expect, it } from 'vitest';
import { CredentialsRefusedError, RequestFailedError } from '../../../src/model/errors.ts';
import { createSanitizer } from '../../../src/model/sanitize.ts';
import { sliceOf } from '../../../src/model/source.ts';
import { failSlice } from '../../../src/pipeline/load/load-context.ts';
import { sampleDay, sourceOf } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

const slice = sliceOf(sourceOf('users'), sampleDay);
const state = () =>
  loading.query('select status, error, last_error, rejected_count::int, row_count::int from etl.slice');

it('a slice can fail for a reason that holds what Postgres text cannot', async () => {
  const redact = Object.assign((text: string) => text, createSanitizer([]));
  const error = new Error('the platform answered 400 (a\0b \ud800)');
  await failSlice({ ...loading.context, redact }, slice, error);
  expect(await state()).toMatchObject([{ error: 'the platform answered 400 (a\uFFFDb \uFFFD)' }]);
});

it('a failure says whether the platform answered, hides secrets, and leaves what stops the run to the run', async () => {
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
