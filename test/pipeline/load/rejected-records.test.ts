import { beforeEach, describe, expect, it } from 'vitest';
import { TooManyRejectedError } from '../../../src/model/errors.ts';
import { sampleRow, sampleRows } from '../../support/samples.ts';
import { sharedSliceLoading } from '../../support/slice-loading.ts';

const loading = await sharedSliceLoading();

beforeEach(() => loading.clear());

describe('what is too large to be kept whole', () => {
  const crowd = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`user ${index}`, 'x'.repeat(50)]),
  );
  const leftOut = expect.stringMatching(/^\[left out: an (array|object) of 1\d{6} bytes\]$/);
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

describe('what is nested too deeply', () => {
  const deep = '['.repeat(200) + ']'.repeat(200);
  const levels = 'nested more than 64 levels deep';
  const asText = (...records: readonly unknown[]) => JSON.stringify(records).replaceAll('"@deep"', deep);
  const quarantine = () => loading.query('select path, reason, payload from etl.rejected_row');

  it.each([
    ['at once', 4_000_000],
    ['from a file, a chunk at a time', 10],
  ])('takes its own record with it and no other one, read %s', async (_, chunkBytes) => {
    const [ada, bob] = await sampleRows('users');
    await loading.load('users', [ada, bob]);
    const again = asText({ ...ada, sessions: 99 }, { ...bob, sessions: '@deep' });
    expect(await loading.loadText('users', again, { chunkBytes })).toMatchObject({
      rejected: 1,
      updated: 1,
      deleted: 0,
    });
    expect(await quarantine()).toEqual([
      {
        path: '',
        reason: `sessions: expected a whole number, zero or more, got an array ${levels}`,
        payload: { ...bob, sessions: `[left out: an array ${levels}]` },
      },
    ]);
  });

  it('is rejected where it is no record at all', async () => {
    const [ada] = await sampleRows('users');
    expect(await loading.loadText('users', asText(ada, '@deep'))).toMatchObject({ rejected: 1 });
    expect(await quarantine()).toMatchObject([{ reason: `expected an object, got an array ${levels}` }]);
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
