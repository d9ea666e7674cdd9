import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flattenOf } from '../../src/flatten/flatten.ts';
import { createSliceContent, type SliceContent } from '../../src/flatten/slice-content.ts';
import { valuesOfPacked } from '../support/flat-rows.ts';
import { type PayloadRow, sampleRow, sampleRows, sourceOf } from '../support/samples.ts';

function gather(endpoint: string, ...rows: readonly unknown[]): SliceContent {
  const source = sourceOf(endpoint);
  const content = createSliceContent(flattenOf(source), source.duplicates);
  for (const row of rows) content.add(row, false);
  return content;
}

/** The rows that wait for a table; none do any more. */
const rowsIn = (content: SliceContent, table: number) => valuesOfPacked(content.takeBatch().rows[table]);

const hashOf = (endpoint: string, ...rows: readonly unknown[]) =>
  gather(endpoint, ...rows)
    .contentHash()
    ?.toString('hex');

/** The same value with every list and every object's fields in another order. */
function shuffled(value: unknown, random: () => number): unknown {
  const inOrder = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item);
  if (Array.isArray(value)) return inOrder(value.map((item) => shuffled(item, random)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    inOrder(Object.entries(value)).map(([key, item]) => [key, shuffled(item, random)]),
  );
}

describe('the content hash', () => {
  it.each(['tokens', 'tools', 'activity', 'productivity', 'users'])(
    'of /%s is the same for the same content in any order',
    async (endpoint) => {
      const rows = await sampleRows(endpoint);
      const expected = hashOf(endpoint, ...rows);
      expect(expected).toMatch(/^[0-9a-f]{64}$/);
      fc.assert(
        fc.property(fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (numbers) => {
          const other = shuffled(rows, () => numbers.next().value ?? 0);
          expect(hashOf(endpoint, ...(Array.isArray(other) ? other : []))).toBe(expected);
        }),
        { numRuns: 30 },
      );
    },
  );

  it.each<[string, PayloadRow]>([
    ['another figure', { files_created: 62 }],
    ['null where there was zero', { git_prs_created: null }],
    ['an absent breakdown instead of an empty one', { by_language: undefined }],
    ['one entry less', { by_language: [{ language: 'SQL', count: 160 }] }],
    ['another name', { by_extension: [{ extension: '.TS', count: 700 }] }],
  ])('differs for %s', async (_, changes) => {
    const base = hashOf('productivity', await sampleRow('productivity'));
    expect(hashOf('productivity', await sampleRow('productivity', changes))).not.toBe(base);
  });

  it('tells null from empty text, and a missing breakdown from an empty one', async () => {
    const hashes = [
      { delegation_level: '' },
      { delegation_level: null },
      { user_email: '' },
      { user_email: null },
      { languages: [] },
      { languages: undefined },
      { languages: [''] },
      { primary_model: null },
    ].map(async (changes) => hashOf('users', await sampleRow('users', changes)));
    expect(new Set(await Promise.all(hashes)).size).toBe(8);
  });

  it('tells rows apart whose values only look alike when they are put side by side', () => {
    const users = (...entries: [string, string[]][]) =>
      hashOf('users', ...entries.map(([user_id, languages]) => ({ user_id, date: '2026-03-09', languages })));
    expect(users(['a', ['b\n1']], ['c', []])).not.toBe(users(['a', ['b']], ['c', ['1']]));
    expect(users(['a', ['b', 'c']])).not.toBe(users(['a', ['b\nc']]));
    expect(users(['a', ['x']], ['b', []])).not.toBe(users(['a', []], ['b', ['x']]));
  });

  it('of users within a day is the same in any order, e-mails and missing breakdowns included', () => {
    const entries = ['a', 'b', 'c'].map((user_id) => ({ user_id, user_email: `${user_id}@example.com` }));
    const tokens = (by_user: unknown[]) => hashOf('tokens', { date: '2026-03-09', by_user });
    expect(tokens(entries)).toMatch(/^[0-9a-f]{64}$/);
    expect(tokens(entries.toReversed())).toBe(tokens(entries));
    const [first, ...others] = entries;
    expect(tokens([{ ...first, user_email: 'b@example.com' }, ...others])).not.toBe(tokens(entries));
  });

  it('does not exist when a key came twice or a row was rejected', async () => {
    const [ada] = await sampleRows('users');
    expect(hashOf('users', ada, ada)).toBeUndefined();
    expect(hashOf('users', ada, { ...ada, user_id: 7 })).toBeUndefined();
    const content = gather('users', ada);
    content.reject({ path: 'date', reason: 'of another day', payload: ada });
    expect(content.contentHash()).toBeUndefined();
  });
});

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
    const batch = content.takeBatch();
    expect(valuesOfPacked(batch.rows[0])).toHaveLength(1);
    expect(valuesOfPacked(batch.rows[0])[0]?.[13]).toBe(9);
    expect(valuesOfPacked(batch.rows[1])).toEqual([['user_ada', 'Go']]);
    expect(content.drift).toMatchObject([{ kind: 'duplicate_key', example: 'user_ada', occurrences: 1 }]);
  });

  it('is held until it is taken, and not any longer', async () => {
    const [ada, bob] = await sampleRows('users');
    const content = gather('users', ada, bob);
    expect(content.waiting).toBe(2);
    content.takeBatch();
    expect(content.waiting).toBe(0);
    content.add({ ...ada, sessions: 9 }, false);
    expect(rowsIn(content, 0)).toHaveLength(1);
    expect(rowsIn(content, 0)).toEqual([]);
  });

  it('has each language once', async () => {
    const content = gather('users', await sampleRow('users', { languages: ['Go', 'SQL', 'Go'] }));
    expect(rowsIn(content, 1)).toEqual([
      ['user_ada', 'Go'],
      ['user_ada', 'SQL'],
    ]);
  });
});

describe('the share of what was rejected', () => {
  it('counts entries of breakdowns like rows', async () => {
    const entry = (extension: unknown) => ({ extension, count: 1 });
    const row = { date: '2026-03-09', by_extension: [entry('.ts'), entry(7)], by_language: [] };
    const content = gather('productivity', row);
    expect(content.rejectedShare()).toBeCloseTo(1 / 3);
    expect(gather('productivity').rejectedShare()).toBe(0);
    expect(gather('productivity', null).rejectedShare()).toBe(1);
    expect(content.read).toBe(1);
  });
});

it('a surprise is counted by where and what it is, with one example', async () => {
  const [ada, bob] = await sampleRows('users');
  const content = gather('users', { ...ada, team: 'x' }, { ...bob, team: 'y' });
  expect(content.drift).toEqual([{ path: 'team', kind: 'unknown_field', example: '"x"', occurrences: 2 }]);
});

it('characters that cannot be stored are replaced and counted', async () => {
  const flatten = flattenOf(sourceOf('users'));
  const content = createSliceContent(flatten, 'last');
  content.add(await sampleRow('users', { user_id: 'a\0b', languages: ['\ud800'] }), true);
  expect(rowsIn(content, 1)).toEqual([['a\uFFFDb', '\uFFFD']]);
  expect(content.drift).toEqual([
    { path: 'user_id', kind: 'replaced_character', example: 'a\uFFFDb', occurrences: 1 },
    { path: 'languages[]', kind: 'replaced_character', example: '\uFFFD', occurrences: 1 },
  ]);
});
