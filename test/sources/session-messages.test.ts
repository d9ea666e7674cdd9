import { describe, expect, it } from 'vitest';
import { openAnswer } from '../../src/extract/envelope.ts';
import { UnexpectedAnswerError } from '../../src/model/errors.ts';
import { withoutTexts } from '../../src/model/withheld-texts.ts';
import { flattenRow, rowsByTable } from '../support/flat-rows.ts';
import { sampleRow, sampleRows, sampleText, sourceOf } from '../support/samples.ts';

const endpoint = 'session-messages';
const { envelope, partitioning, schema } = sourceOf(endpoint);

/** The same record as it is received where texts are withheld. */
function withheld(record: unknown): Record<string, unknown> {
  const json = withoutTexts(Buffer.from(JSON.stringify({ messages: [record] })), 'messages', schema);
  return JSON.parse(json.toString()).messages[0];
}

describe('a message', () => {
  it('becomes its row, a row per block, and a row per command with its result', async () => {
    const [, , tool] = await sampleRows(endpoint);
    expect(rowsByTable(endpoint, tool)).toEqual({
      fact_session_message: [
        // biome-ignore format: one row of the table
        ['message-3', null, 'tool', expect.stringContaining('2026-03-09'), expect.stringContaining('2026-03-09'), 'message-2', null, null, null, 'true', null, 'true', null, null, 'PostToolUse', 'Edit|Write', 'error', expect.stringContaining('2026-03-09'), expect.stringContaining('2026-03-09'), 0, 0, null],
      ],
      fact_session_content_block: [],
      fact_session_hook_result: [
        ['message-3', '0', 'ruff format .', 60, 0, 19, 0, 'true'],
        ['message-3', '1', 'make test', null, 2, 0, 16, 'false'],
      ],
    });
  });

  it('counts the code points of all its texts, and keeps them a line apart', async () => {
    const [user, assistant] = await sampleRows(endpoint);
    const countsOf = (record: unknown) => rowsByTable(endpoint, record).fact_session_message?.[0]?.slice(-3);
    expect(countsOf(user)).toEqual([1, 35, 'Please add a test for the parser. 🙂']);
    expect(countsOf(assistant)).toEqual([2, 32, 'Done.\\nThe test fails as expected.']);
  });

  it('has the same counts where its texts were withheld, and no text', async () => {
    for (const record of await sampleRows(endpoint)) {
      const [kept, none] = [rowsByTable(endpoint, record), rowsByTable(endpoint, withheld(record))];
      const withoutText = (rows: unknown[][] = [], column: number) =>
        rows.map((row) => row.map((value, index) => (index === column ? null : value)));
      expect(none).toEqual({
        ...kept,
        fact_session_message: withoutText(kept.fact_session_message, 21),
        fact_session_hook_result: withoutText(kept.fact_session_hook_result, 2),
      });
    }
  });

  it('is accepted without a surprise in the documented shape, with texts and without', async () => {
    for (const record of await sampleRows(endpoint))
      for (const each of [record, withheld(record)])
        expect(flattenRow(endpoint, each)).toMatchObject({ kept: [], rejected: [], drift: [] });
  });

  it('needs nothing but its id', () => {
    const { rows, rejected } = flattenRow(endpoint, { id: 'm' });
    expect([rows[0]?.length, rejected]).toEqual([1, []]);
    expect(flattenRow(endpoint, { role: 'user', content: [] }).rejected).toMatchObject([
      { reason: expect.stringContaining('id: expected text') },
    ]);
  });

  it('may lack results, or have more of them than commands', async () => {
    const results = (changes: Record<string, unknown>) =>
      sampleRow(endpoint, { content: [], ...changes }).then(
        (record) => rowsByTable(endpoint, record).fact_session_hook_result,
      );
    expect(await results({ hookCommands: [{ command: 'a', timeout: 1 }] })).toEqual([
      ['message-1', '0', 'a', 1, null, null, null, null],
    ]);
    expect(
      await results({ hookResults: [{ exitCode: -1 }, { exitCode: 3221225786 }], hookCommands: [] }),
    ).toEqual([
      ['message-1', '0', null, null, -1, null, null, null],
      ['message-1', '1', null, null, 3221225786, null, null, null],
    ]);
  });

  it('has its times in seconds or milliseconds', async () => {
    for (const createdAt of [1773046800, 1773046800000]) {
      const record = await sampleRow(endpoint, { createdAt });
      expect(rowsByTable(endpoint, record).fact_session_message?.[0]?.[3]).toMatch(/^2026-03-09T09:00:00/);
    }
  });
});

describe('a page', () => {
  const request = partitioning.first(['s/1 ü'], 50);
  const open = (pagination: unknown) =>
    openAnswer(Buffer.from(JSON.stringify({ messages: [], pagination })), envelope, request);

  it('is asked for by the id of the session, which may be any text', () => {
    expect(request).toEqual({ path: '/api/v0/sessions/s%2F1%20%C3%BC/messages', query: { limit: '50' } });
    for (const id of ['', '.', '..', 'a\nb', '\ud800', 'x'.repeat(2001)])
      expect(partitioning.isKey(id), JSON.stringify(id.slice(0, 9))).toBe(false);
    for (const id of ['session_000000001', 'a b', '…', '../x']) expect(partitioning.isKey(id)).toBe(true);
  });

  const next = (pagination: unknown) => partitioning.next(open(pagination), new Set())?.query.cursor;

  it('is followed wherever it names a next one', () => {
    for (const hasMore of [true, false, undefined, null, 'true', {}])
      expect(next({ hasMore, nextCursor: 'c' }), String(hasMore)).toBe('c');
    for (const nextCursor of [undefined, null, ''])
      expect(next({ hasMore: false, nextCursor })).toBeUndefined();
  });

  it.each([
    { hasMore: true },
    { hasMore: true, nextCursor: '' },
    { hasMore: true, nextCursor: null },
    { hasMore: true, nextCursor: 7 },
    { hasMore: 'true' },
    { nextCursor: 7 },
    {},
    undefined,
  ])('is not believed with the pagination %o', (pagination) => {
    expect(() => next(pagination)).toThrow(UnexpectedAnswerError);
  });

  it('is as the sample', async () => {
    expect(openAnswer(Buffer.from(await sampleText(endpoint)), envelope, request).records).toHaveLength(3);
  });
});
