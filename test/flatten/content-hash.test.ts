import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gather } from '../support/gathered.ts';
import { type PayloadRow, sampleRow, sampleRows } from '../support/samples.ts';

function hashOf(endpoint: string, ...records: readonly unknown[]): string | undefined {
  const content = gather(endpoint, ...records);
  content.takeBatch();
  return content.contentHash()?.toString('hex');
}

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
      { user_email: 'ann@example.com' },
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
  });

  it('does not exist when the content was taken in more than one batch', async () => {
    const content = gather('users', await sampleRow('users'));
    content.takeBatch();
    expect(content.contentHash()).toBeDefined();
    content.takeBatch();
    expect(content.contentHash()).toBeUndefined();
  });

  it('does not exist when the warehouse saw what the content cannot', async () => {
    const content = gather('tokens', await sampleRow('tokens'));
    content.takeBatch();
    content.note({ path: 'fact_token_daily', kind: 'duplicate_key', example: 'later', occurrences: 3 });
    expect(content.contentHash()).toBeUndefined();
    expect(content.drift).toMatchObject([{ kind: 'duplicate_key', occurrences: 3 }]);
  });
});
