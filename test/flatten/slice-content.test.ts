import { describe, expect, it } from 'vitest';
import { createSliceContent, type SliceContent } from '../../src/flatten/slice-content.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { valuesOfPacked } from '../support/flat-rows.ts';
import { anywhere, gather } from '../support/gathered.ts';
import { sampleRow, sampleRows, sourceOf } from '../support/samples.ts';

/** The rows that wait for a table; none do any more. */
const rowsIn = (content: SliceContent, table: number) => valuesOfPacked(content.takeRows().rows[table]);

describe('a key that comes twice', () => {
  const byTool = (...invocations: unknown[]) => ({
    date: '2026-03-09',
    by_tool: invocations.map((figure) => ({ tool: 'Read', invocations: figure })),
  });

  it('has its additive figures summed, and is drift', () => {
    const content = gather('tools', byTool(3, 4, 5));
    expect(rowsIn(content, 1)).toEqual([['Read', 12]]);
    expect(content.drift).toContainEqual({
      path: 'fact_tool_usage_daily',
      kind: 'duplicate_key',
      example: 'Read',
      occurrences: 2,
    });
  });

  it('is summed exactly: 0.1 and 0.2 are 0.3', () => {
    const model = (billable_tokens: number) => ({ model_id: 'm', model_tier: 't', billable_tokens });
    const content = gather('tokens', { date: '2026-03-09', by_model: [model(0.1), model(0.2)] });
    expect(rowsIn(content, 1)).toEqual([['m\0t', 0.3, null, null]]);
  });

  it('is summed exactly over rows, beyond what a double holds', () => {
    const row = { date: '2026-03-09', input_tokens: 9_007_199_254_740_991 };
    expect(rowsIn(gather('tokens', row, row), 0)[0]?.[1]).toBe(2 ** 54 - 2);
  });

  it('takes an absent figure for none, and stays absent when both are', () => {
    expect(rowsIn(gather('tools', byTool(null, 4)), 1)).toEqual([['Read', 4]]);
    expect(rowsIn(gather('tools', byTool(null, null)), 1)).toEqual([['Read', null]]);
  });

  it('keeps the last of figures that must not be added', () => {
    const share = { auto_high: 0.25, 'auto-high': 0.5 };
    const content = gather('tools', { date: '2026-03-09', tool_autonomy_level_ratio: share });
    expect(rowsIn(content, 6)).toEqual([['auto-high', 0.5]]);
  });

  it('is told apart by every part of it', () => {
    const hooks_by_event = [
      { event: 'a', matcher: 'b', command: '', count: 1 },
      { event: 'a', matcher: '', command: 'b', count: 2 },
      { event: 'ab', count: 3 },
    ];
    expect(rowsIn(gather('tools', { date: '2026-03-09', hooks_by_event }), 5)).toHaveLength(3);
  });
});

describe('a user who comes twice', () => {
  it('is as the last row says, all of it', async () => {
    const [ada] = await sampleRows('users');
    const content = gather('users', ada, { ...ada, sessions: 9, languages: ['Go'] });
    const flatRows = content.takeRows();
    expect(valuesOfPacked(flatRows.rows[0])).toHaveLength(1);
    expect(valuesOfPacked(flatRows.rows[0])[0]?.[13]).toBe(9);
    expect(valuesOfPacked(flatRows.rows[1])).toEqual([['user_ada', 'Go']]);
    expect(content.drift).toMatchObject([{ kind: 'duplicate_key', example: 'user_ada', occurrences: 1 }]);
  });

  it('is held until it is taken, and not any longer', async () => {
    const [ada, bob] = await sampleRows('users');
    const content = gather('users', ada, bob);
    expect(rowsIn(content, 0)).toHaveLength(2);
    content.add({ records: [{ ...ada, sessions: 9 }], mayHoldUnstorableCharacters: false }, anywhere);
    expect(rowsIn(content, 0)).toHaveLength(1);
    expect(rowsIn(content, 0)).toEqual([]);
    expect(content.read).toBe(3);
  });

  it('keeps no languages for an earlier row that lacked them', async () => {
    const [ada] = await sampleRows('users');
    const lacking = { ...ada, languages: undefined };
    expect(gather('users', lacking).takeRows().kept).toEqual([{ table: 1, leadingKeys: ['user_ada'] }]);
    expect(gather('users', lacking, ada).takeRows().kept).toEqual([]);
    expect(gather('users', ada, lacking).takeRows().kept).toHaveLength(1);
  });

  it('keeps what is held when one of the rows was rejected, whichever it was', async () => {
    const [ada] = await sampleRows('users');
    const rejected = { ...ada, sessions: 'many' };
    const kept = [0, 1].map((table) => ({ table, leadingKeys: ['user_ada'] }));
    expect(gather('users', rejected, ada, ada).takeRows().kept).toEqual(kept);
    expect(gather('users', ada, rejected).takeRows().kept).toEqual(kept);
  });

  it('has each language once', async () => {
    const content = gather('users', await sampleRow('users', { languages: ['Go', 'SQL', 'Go'] }));
    expect(rowsIn(content, 1)).toEqual([
      ['user_ada', 'Go'],
      ['user_ada', 'SQL'],
    ]);
  });
});

describe('too much is rejected', () => {
  const byUser = (good: number, bad: number, badModels = 0) => ({
    date: '2026-03-09',
    by_model: Array.from({ length: badModels }, () => ({ model_id: 7 })),
    by_user: [
      ...Array.from({ length: good }, (_, index) => ({ user_id: `u${index}`, by_model: [] })),
      ...Array.from({ length: bad }, (_, index) => ({ user_id: `v${index}`, billable_tokens: 'x' })),
    ],
  });
  const reason = (maxShare: number, ...records: unknown[]) =>
    gather('tokens', ...records).tooManyRejected(maxShare);

  it('when more than the share of one path and at least five of its records are', () => {
    expect(reason(0.2, byUser(20, 5))).toBeUndefined();
    expect(reason(0.2, byUser(19, 5))).toMatch(
      /^5 of the records of by_user\[\] cannot be loaded \(21 %.*MAX_REJECTED_SHARE.*billable_tokens: expected/,
    );
    expect(reason(0.2, byUser(0, 4))).toBeUndefined();
    expect(reason(0.2, byUser(0, 5))).toBeDefined();
    expect(reason(1, byUser(0, 5))).toBeUndefined();
  });

  it('whatever was well on other paths', () => {
    expect(reason(0.2, byUser(1_000, 0, 5))).toContain('5 of the records of by_model[]');
    expect(reason(0.2, byUser(0, 4, 4))).toBeUndefined();
  });

  it('when every record of the answer is, however few', () => {
    expect(reason(1, null)).toContain('1 of the records of data[]');
    expect(reason(0.2, null, byUser(1, 0))).toBeUndefined();
    expect(gather('tokens').tooManyRejected(0)).toBeUndefined();
  });

  it('but not when a breakdown is of the wrong type: that counts as missing', () => {
    const content = gather('tokens', { ...byUser(0, 0), by_user: 'x', by_model: 7 });
    expect(content.rejected.kept.map(({ path }) => path)).toEqual(['by_model', 'by_user']);
    expect(content.tooManyRejected(0)).toBeUndefined();
  });
});

describe('a record that cannot belong to the slice', () => {
  it.each([
    ['keeps what is held under its identity when it has no day', false, ['user_ada']],
    ['keeps nothing when it is of another slice', true, undefined],
  ])('%s', async (_, isOfAnother, leadingKeys) => {
    const [ada, bob] = await sampleRows('users');
    const content = createSliceContent(sourceOf('users'), createSanitizer([]));
    content.add({ records: [ada, bob], mayHoldUnstorableCharacters: false }, (record) =>
      record === ada ? { reason: 'of no day', isOfAnother } : undefined,
    );
    expect(content.rejected).toEqual({
      count: 1,
      kept: [{ path: '', reason: 'of no day', payload: JSON.stringify(ada) }],
    });
    const { rows, kept } = content.takeRows();
    expect(valuesOfPacked(rows[0]).map(([userId]) => userId)).toEqual(['user_bob']);
    expect(kept).toEqual(leadingKeys === undefined ? [] : [0, 1].map((table) => ({ table, leadingKeys })));
  });
});

it('a surprise is counted by where and what it is, with one example', async () => {
  const [ada, bob] = await sampleRows('users');
  const content = gather('users', { ...ada, team: 'x' }, { ...bob, team: 'y' });
  expect(content.drift).toEqual([{ path: 'team', kind: 'unknown_field', example: '"x"', occurrences: 2 }]);
});

it('drift at more than a hundred paths are counted together beyond that, by what they are', async () => {
  const names = Array.from({ length: 150 }, (_, index) => [`field ${index}`, index]);
  const changes = { ...Object.fromEntries(names), sessions: undefined, daily_active_users_by_client: {} };
  const record = await sampleRow('activity', changes);
  const { drift } = gather('activity', record, record);
  const [alone, together] = [drift.slice(0, 100), drift.slice(100)];
  expect(alone.map(({ path }) => path)).toEqual(names.slice(0, 100).map(([name]) => name));
  expect(new Set(alone.map(({ occurrences }) => occurrences))).toEqual(new Set([2]));
  expect(together).toEqual([
    { path: '…', kind: 'unknown_field', example: '100', occurrences: 100 },
    { path: '…', kind: 'missing_field', example: 'absent', occurrences: 2 },
    { path: '…', kind: 'duplicate_key', example: '', occurrences: 1 },
  ]);
});

it('characters that cannot be stored are replaced and counted', async () => {
  const content = createSliceContent(sourceOf('users'), createSanitizer([]));
  const row = await sampleRow('users', { user_id: 'a\0b', languages: ['\ud800'] });
  content.add({ records: [row], mayHoldUnstorableCharacters: true }, anywhere);
  expect(rowsIn(content, 1)).toEqual([['a\uFFFDb', '\uFFFD']]);
  expect(content.drift).toEqual([
    { path: 'user_id', kind: 'replaced_character', example: 'a\uFFFDb', occurrences: 1 },
    { path: 'languages[]', kind: 'replaced_character', example: '\uFFFD', occurrences: 1 },
  ]);
});
