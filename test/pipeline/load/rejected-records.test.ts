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

  it('takes its own entry with it and no sibling', async () => {
    const by_tool = [{ tool: 'Read', invocations: 1 }, '@deep', { tool: 'Edit', invocations: '@deep' }];
    const row = await sampleRow('tools', { by_tool });
    expect(await loading.loadText('tools', asText(row))).toMatchObject({ rejected: 2 });
    expect(await quarantine()).toMatchObject([
      { path: 'by_tool[]', reason: `expected an object, got an array ${levels}` },
      { path: 'by_tool[]', payload: { tool: 'Edit', invocations: `[left out: an array ${levels}]` } },
    ]);
    expect(await loading.query('select invocations::int from warehouse.fact_tool_usage_daily')).toEqual([
      { invocations: 1 },
    ]);
  });

  it('costs nothing where nobody knows the field, and is drift', async () => {
    const [ada] = await sampleRows('users');
    expect(await loading.loadText('users', asText({ ...ada, surprise: '@deep' }))).toMatchObject({
      rejected: 0,
      inserted: 3,
    });
    expect(await loading.query('select path, example from etl.drift')).toEqual([
      { path: 'surprise', example: `"[left out: an array ${levels}]"` },
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
