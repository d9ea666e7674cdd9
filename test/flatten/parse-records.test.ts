import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LargePart, type ParsedRecords, parseRecords } from '../../src/flatten/parse-records.ts';
import { createSliceContent } from '../../src/flatten/slice-content.ts';
import { parseJson } from '../../src/model/json.ts';
import { scanItems } from '../../src/model/json-scan.ts';
import { type RecordSegment, segmentsOf } from '../../src/model/record-chunk.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import { payloadRows } from '../support/arbitrary-payloads.ts';
import { valuesOfPacked } from '../support/flat-rows.ts';
import { sampleDay, sourceOf } from '../support/samples.ts';

const kibibyte = 1024;
/** From here on a record is not parsed as a whole. */
const large = 1024 * kibibyte;
/** More than one value, and less than this, is parsed at once. */
const atOnce = 128 * kibibyte;

/** Records as they are received. */
function runsWith(...records: readonly unknown[]): RecordSegment[] {
  const bytes = Buffer.from(JSON.stringify(records));
  return segmentsOf(bytes, [...scanItems(bytes, 0)]);
}

const parsed = (runs: readonly RecordSegment[]) => runs.flatMap((run) => [...parseRecords(run)]);

/** What becomes of records, written so that two of them can be compared. */
function becomes(endpoint: string, pieces: Iterable<ParsedRecords>) {
  const content = createSliceContent(sourceOf(endpoint), createSanitizer([]));
  for (const piece of pieces) content.add(piece, () => undefined);
  const { rows, kept, observed } = content.takeRows();
  return {
    read: content.read,
    rows: rows.map((packed) => valuesOfPacked(packed)),
    kept,
    observed: [...observed].map(([{ column }, values]) => [column, values]),
    rejected: content.rejected,
    // In the order in which they are met, which is another one.
    drift: content.drift.toSorted((a, b) => (`${a.kind} ${a.path}` < `${b.kind} ${b.path}` ? -1 : 1)),
  };
}

function whole(runs: readonly RecordSegment[]): ParsedRecords[] {
  const { value, mayHoldUnstorableCharacters } = parseJson(`[${runs.map(({ bytes }) => bytes).join()}]`);
  return [{ records: Array.isArray(value) ? value : [], mayHoldUnstorableCharacters }];
}

/** Entries that nobody wants, of so many bytes each, until a breakdown of them is large. */
function padding(bytes: number, make: (name: string) => unknown): unknown[] {
  const filler = '·'.repeat(bytes / 2);
  return Array.from({ length: Math.ceil(large / bytes) }, (_, index) => make(`${index}${filler}`));
}

/** A few bytes, some that do not divide what is parsed at once, some that are more than that. */
const paddingBytes = fc.constantFrom(100, 4_000, 50_000, 140_000, 1_500_000);
const damage = fc.constantFrom<unknown>(
  null,
  7,
  'x',
  [],
  {},
  { user_id: 7 },
  { tool: 'Read', invocations: -1 },
);
const padded = fc.record({
  bytes: paddingBytes,
  bad: fc.array(damage, { maxLength: 2 }),
  atEnd: fc.boolean(),
});

describe('a record above a mebibyte, parsed piece by piece, becomes what it becomes as a whole', () => {
  const lists: Readonly<Record<string, readonly [string, (name: string) => unknown][]>> = {
    tokens: [
      ['by_user', (user_id) => ({ user_id, user_email: null, billable_tokens: 1, by_model: [] })],
      ['by_model', (model_id) => ({ model_id, model_tier: 't', billable_tokens: 0.1 })],
    ],
    tools: [
      ['by_tool', (tool) => ({ tool, invocations: 1, more: 2 })],
      ['hooks_by_event', (command) => ({ command, count: 3 })],
    ],
    productivity: [['by_language', (language) => ({ language, count: 1 })]],
  };

  it.each(Object.keys(lists))('of /%s', (endpoint) => {
    const records = payloadRows[endpoint] ?? fc.constant([]);
    const choice = fc.constantFrom(...(lists[endpoint] ?? []));
    fc.assert(
      fc.property(
        records,
        choice,
        padded,
        fc.nat(3),
        ([record], [field, make], { bytes, bad, atEnd }, others) => {
          const entries: unknown[] = [...(Array.isArray(record?.[field]) ? record[field] : []), ...bad];
          const more = padding(bytes, make);
          const crowd = atEnd ? [...more, ...entries] : [...entries, ...more];
          const small = Array.from({ length: others }, () => ({ ...record }));
          const runs = runsWith(...small, { ...record, [field]: crowd }, ...small);
          expect(becomes(endpoint, parsed(runs))).toEqual(becomes(endpoint, whole(runs)));
        },
      ),
      { numRuns: 12 },
    );
  });

  it.each([
    ['activity', 'daily_active_users_by_client'],
    ['tools', 'tool_autonomy_level_ratio'],
  ])('of /%s where %s is a map of that size', (endpoint, field) => {
    fc.assert(
      fc.property(payloadRows[endpoint] ?? fc.constant([]), padded, ([record], { bytes, bad, atEnd }) => {
        const pairs = (entries: readonly unknown[]) =>
          entries.map((entry, index): [string, unknown] =>
            typeof entry === 'string' ? [entry, index] : [`${index}`, entry],
          );
        const more = pairs(padding(bytes, (name) => name));
        const own = [...Object.entries(Object(record?.[field])), ...pairs(bad)];
        const map = Object.fromEntries(atEnd ? [...more, ...own] : [...own, ...more]);
        const runs = runsWith({ ...record, [field]: map });
        const [pieces, together] = [becomes(endpoint, parsed(runs)), becomes(endpoint, whole(runs))];
        // A replaced character stands at the path of the map as a whole, or at that of its entry.
        expect({ ...pieces, drift: [] }).toEqual({ ...together, drift: [] });
      }),
      { numRuns: 12 },
    );
  });

  it('also where its entries are texts', () => {
    const languages = [...padding(30_000, String), 7, 'Go', 'Go', null];
    const user = { user_id: 'u', date: sampleDay, languages };
    const runs = runsWith(user, { ...user, user_id: 'v', languages: ['SQL'] });
    const found = becomes('users', parsed(runs));
    expect(found).toEqual(becomes('users', whole(runs)));
    expect(found.rejected.count).toBe(2);
    expect(found.rows[1]).toHaveLength(languages.length - 3 + 1);
  });

  it.each([
    [
      'a map where a list should be',
      { by_user: Object.fromEntries(padding(1_000, (name) => [name, 1]).map(Object)) },
    ],
    ['a list where a map should be', { daily_active_users_by_client: padding(1_000, String) }],
    ['text', { by_user: 'x'.repeat(2 * large) }],
    ['a field of its own', { date: padding(1_000, String) }],
    ['a field that nobody knows', { more: padding(1_000, String) }],
  ])('also where what is so large is %s', (_, changes) => {
    const endpoint = 'daily_active_users_by_client' in changes ? 'activity' : 'tokens';
    const runs = runsWith({ date: sampleDay, ...changes });
    const [pieces, together] = [becomes(endpoint, parsed(runs)), becomes(endpoint, whole(runs))];
    const shown = ({ rejected, drift, ...rest }: typeof pieces) => ({
      ...rest,
      rejected: rejected.kept.map(({ path }) => path),
      drift: drift.map(({ path, kind }) => `${kind} ${path}`),
    });
    expect(shown(pieces)).toEqual(shown(together));
  });
});

describe('records of a run', () => {
  const records = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, index) => ({ index, filler: 'x'.repeat(bytes) }));
  const sizes = (runs: readonly RecordSegment[]) =>
    parsed(runs).map((piece) => Buffer.byteLength(JSON.stringify(piece.records)));

  it('are parsed together where they are few bytes', () => {
    expect(sizes(runsWith(...records(10, 1_000)))).toHaveLength(1);
  });

  it('are parsed in pieces of bounded size, each of them once and in their order', () => {
    const runs = runsWith(...records(400, 2_000));
    expect(Math.max(...sizes(runs))).toBeLessThanOrEqual(atOnce + 2 + 400);
    expect(parsed(runs).flatMap((piece) => piece.records)).toEqual(records(400, 2_000));
  });

  it('come as their own where one alone is more', () => {
    const runs = runsWith(...records(1, 10), ...records(3, 2 * atOnce), ...records(2, 10));
    expect(parsed(runs).map((piece) => piece.records.length)).toEqual([1, 1, 1, 1, 2]);
  });

  it('hand out the entries of a large breakdown in pieces of bounded size', () => {
    const by_user = records(2_000, 1_000);
    const [piece] = parsed(runsWith({ date: sampleDay, by_user }));
    const breakdown: unknown = Object(piece?.records[0]).by_user;
    if (!(breakdown instanceof LargePart)) throw new TypeError('expected a large breakdown');
    const pieces = [...breakdown.entries()].map((part) => part.records);
    expect(pieces.flat()).toEqual(by_user);
    expect(pieces.length).toBeGreaterThan(10);
    expect(JSON.stringify(breakdown)).toBe(
      `"[left out: an array of ${JSON.stringify(by_user).length} bytes]"`,
    );
  });

  it('keep the digits of their numbers, whichever piece these are in', () => {
    const digits = '12345678901234567.89';
    const entries = padding(1_000, (user_id) => ({ user_id, user_email: null, by_model: [] }));
    const text = JSON.stringify({ date: sampleDay, billable_tokens: 1, by_user: entries }).replace(
      /:null,/,
      `:null,"billable_tokens":${digits},`,
    );
    const { rows } = becomes('tokens', parseRecords({ bytes: Buffer.from(text), count: 1 }));
    expect(rows[2]?.map(([, credits]) => credits)).toContain(digits);
  });

  it('that are no JSON are refused', () => {
    const bytes = Buffer.from(`{"by_user":[${'1,'.repeat(large)}oops]}`);
    expect(() => [...parseRecords({ bytes, count: 1 })]).toThrow(SyntaxError);
  });
});
