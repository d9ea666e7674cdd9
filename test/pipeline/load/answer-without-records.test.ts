import { beforeEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/model/run.ts';
import type { Slice } from '../../../src/model/source.ts';
import { sampleDay, sampleRow, sampleRows } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

beforeEach(() => loading.clear());

const slices = () =>
  loading.query(`select status, row_count::int, rejected_count::int, attempts, error, last_error, raw_chunks,
    cardinality(answered_empty_by) as answers from etl.slice`);

describe('an answer without records', () => {
  it('is pending, and leaves to the run whether it is believed', async () => {
    const nothing: unknown[] = [];
    const onWithoutRows = (slice: Slice, deleted: number) => void nothing.push([slice.key, deleted]);
    const onEvent = (event: RunEvent) => void nothing.push(event.type);
    await loading.load('users', [], { changes: { onWithoutRows, onEvent } }).catch(() => undefined);
    expect(nothing).toEqual([[sampleDay, 0]]);
    expect(await slices()).toMatchObject([{ status: 'pending', row_count: 0, error: null, answers: 1 }]);
    await loading.load('users', []);
    expect(await slices()).toMatchObject([{ status: 'pending', attempts: 2, answers: 1 }]);
  });

  it('does not empty rows that only the tables know', async () => {
    await loading.load('users', await sampleRows('users'));
    await loading.query('delete from etl.slice');
    expect(await loading.load('users', [])).toMatchObject({ result: 'refused', deleted: 0 });
    expect(await slices()).toMatchObject([
      { status: 'loaded', row_count: 2, last_error: expect.stringContaining('reports no rows'), error: null },
    ]);
  });

  it('leaves nothing in quarantine of an earlier answer that was refused as a whole', async () => {
    await expect(loading.load('users', [await sampleRow('users', { sessions: 'x' })])).rejects.toThrow();
    expect(await loading.query('select from etl.rejected_row')).toHaveLength(1);
    await loading.load('users', []);
    expect(await slices()).toMatchObject([{ status: 'pending', rejected_count: 0, error: null }]);
    expect(await loading.query('select from etl.rejected_row')).toEqual([]);
  });

  it('over rows that somebody deleted leaves their archive as it was, for a replay', async () => {
    await loading.load('users', await sampleRows('users'));
    await loading.query(
      'delete from warehouse.fact_user_daily; delete from warehouse.bridge_user_language_daily',
    );
    expect(await loading.load('users', [])).toMatchObject({ result: 'pending' });
    expect(await slices()).toMatchObject([{ status: 'pending', row_count: 0, raw_chunks: 1 }]);
    expect(await loading.query('select from etl.raw_slice')).toHaveLength(1);
  });
});
