import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TooManyRejectedError } from '../../../src/model/errors.ts';
import { sampleRow, sampleRows } from '../../support/samples.ts';
import { type SliceLoading, startSliceLoading } from '../../support/slice-loading.ts';

let loading: SliceLoading;

beforeAll(async () => {
  loading = await startSliceLoading();
});

afterAll(() => loading.close());

beforeEach(() => loading.clear());

describe('rejected rows', () => {
  it('are kept with their reason, and gone when the next answer has them right', async () => {
    const [ada, bob] = await sampleRows('users');
    const wrong = { ...bob, sessions: 'many', user_id: 'b\u0000b' };
    expect(await loading.load('users', [ada, wrong])).toMatchObject({ rejected: 1, inserted: 3 });
    const quarantine = () => loading.query('select reason, payload from etl.rejected_row');
    expect(await quarantine()).toEqual([
      {
        reason: 'sessions: expected a whole number, zero or more, got "many"',
        payload: { ...bob, sessions: 'many', user_id: 'b\uFFFDb' },
      },
    ]);
    await loading.load('users', [ada, wrong]);
    expect(await quarantine()).toHaveLength(1);
    expect(await loading.load('users', [ada, bob])).toMatchObject({ rejected: 0, inserted: 1 });
    expect(await quarantine()).toEqual([]);
  });

  it('beyond the allowed share fail the slice and change nothing', async () => {
    const [ada] = await sampleRows('users');
    await loading.load('users', [ada]);
    await expect(
      loading.load('users', [{ ...ada, sessions: -1 }], { changes: { maxRejectedShare: 0.2 } }),
    ).rejects.toThrow(TooManyRejectedError);
    expect(await loading.query('select sessions::int from warehouse.fact_user_daily')).toEqual([
      { sessions: 8 },
    ]);
  });

  it('of another day than asked for are refused', async () => {
    const [ada] = await sampleRows('users');
    const stored = await loading.load('users', [ada, { ...ada, user_id: 'x', date: '2026-03-08' }]);
    expect(stored).toMatchObject({ rejected: 1 });
    expect(await loading.query("select path, payload->>'user_id' as id from etl.rejected_row")).toEqual([
      { path: '', id: 'x' },
    ]);
  });
});

describe('what is too large to be kept whole', () => {
  const crowd = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`user ${index}`, 'x'.repeat(50)]),
  );
  const leftOut = expect.stringMatching(/^\[left out: 1\d{6} bytes\]$/);
  const quarantine = () => loading.query('select path, payload from etl.rejected_row');

  it('is named by its size where it is of the wrong type', async () => {
    await loading.load('tokens', [await sampleRow('tokens', { by_user: crowd })]);
    expect(await quarantine()).toEqual([{ path: 'by_user', payload: leftOut }]);
  });

  it('is named by its size within a record that is rejected for another reason', async () => {
    const record = await sampleRow('tokens', { input_tokens: -1, by_user: Object.entries(crowd) });
    await expect(loading.load('tokens', [record])).rejects.toThrow(TooManyRejectedError);
    expect(await quarantine()).toEqual([{ path: '', payload: { ...record, by_user: leftOut } }]);
  });
});

describe('drift', () => {
  it('is counted over runs, with the newest example', async () => {
    const [ada] = await sampleRows('users');
    await loading.load('users', [{ ...ada, team: 'first' }]);
    await loading.load('users', [{ ...ada, team: 'second', 'odd\u0000name': 1 }]);
    const rows = await loading.query(
      'select path, kind, example, occurrences::int from etl.drift order by path collate "C", kind',
    );
    expect(rows).toEqual([
      { path: '', kind: 'replaced_character', example: 'odd\uFFFDname', occurrences: 1 },
      { path: 'odd\uFFFDname', kind: 'unknown_field', example: '1', occurrences: 1 },
      { path: 'team', kind: 'unknown_field', example: '"second"', occurrences: 2 },
    ]);
  });
});
