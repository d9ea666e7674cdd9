import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Answer } from '../../src/extract/answer.ts';
import { openEnvelope } from '../../src/extract/envelope.ts';
import { day } from '../../src/model/day.ts';
import { UnreadableAnswerError } from '../../src/model/errors.ts';

const of = day('2026-03-09');
const meta = { org_id: 'org_a', start_date: of, end_date: of, has_more: true, next_cursor: 'user_9' };

const answerOf = (body: string) => new Answer(Buffer.from(body));
const open = (answer: Answer) => openEnvelope(answer, { from: of, to: of });

/** All that a page says, or the error that says why it cannot be one. */
function said(answer: Answer): unknown {
  try {
    const { organizationId, nextCursor, rows, mayHoldUnstorableCharacters } = open(answer);
    return { organizationId, nextCursor, rows, mayHoldUnstorableCharacters };
  } catch (error) {
    return String(error);
  }
}

/**
 * Texts and names that look like the end of an answer. None is a single backslash: once it has met that as a name,
 * `JSON.parse` of Node 24 takes other names that are written with an escape for it.
 */
const confusing = fc.constantFrom(
  `,"meta":${JSON.stringify(meta)}}`,
  ',"meta":{',
  '\\\\',
  '"',
  '}}',
  'meta',
  'é\ud800😀',
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    confusing,
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(confusing, fc.constant('data')), tie('value'), { maxKeys: 3 }),
    fc.constant({ meta: { ...meta, next_cursor: 'of something else' } }),
  ),
}));
const description = fc.oneof(
  fc.constant<unknown>(meta),
  fc.constant<unknown>({ ...meta, has_more: false, next_cursor: null }),
  fc.constant<unknown>({ ...meta, start_date: '2026-03-08' }),
  value,
);
const field = fc.tuple(fc.constantFrom('data', 'meta', 'more'), fc.oneof(description, fc.array(value)));
/** Bodies as JSON text, with fields in any order, left out, or twice. */
const body = fc
  .tuple(fc.shuffledSubarray([0, 1]), description, fc.array(value), fc.array(field, { maxLength: 2 }))
  .map(([order, described, rows, others]) => {
    const usual = order.map((which) => (which === 0 ? ['data', rows] : ['meta', described]));
    const fields = [...others, ...usual].map(
      ([name, item]) => `${JSON.stringify(name)}:${JSON.stringify(item)}`,
    );
    return `{${fields.join(',')}}`;
  });

describe('an answer that is not parsed yet', () => {
  it('says the same as one that is, whatever stands in it', () => {
    fc.assert(
      fc.property(body, (text) => {
        const parsed = answerOf(text);
        parsed.parse();
        expect(said(answerOf(text))).toEqual(said(parsed));
      }),
      { numRuns: 3_000 },
    );
  });

  it('tells its cursor without being parsed', () => {
    const answer = answerOf(JSON.stringify({ data: [{ a: 1 }], meta }));
    expect(open(answer).nextCursor).toBe('user_9');
    expect(answer.isParsed).toBe(false);
    expect(open(answer).rows).toEqual([{ a: 1 }]);
    expect(answer.isParsed).toBe(true);
  });

  it('is refused when somebody asks for its rows and it is not JSON', () => {
    const page = open(answerOf(`{"data":[oops],"meta":${JSON.stringify(meta)}}`));
    expect(page.nextCursor).toBe('user_9');
    expect(() => page.rows).toThrow(UnreadableAnswerError);
    expect(() => page.rows).toThrow('expected a complete JSON body');
  });

  it('is refused at once when it ends in the middle', () => {
    const whole = JSON.stringify({ data: [{ a: 1 }], meta });
    expect(() => open(answerOf(whole.slice(0, -1)))).toThrow(UnreadableAnswerError);
  });

  it.each([
    ['its meta holds bytes that are no text', Buffer.from([0xff])],
    ['its meta names another day, and what comes before it is not JSON', Buffer.from('2026-03-01')],
  ])('is asked for again when %s', (_, bytes) => {
    const [before, after] = JSON.stringify({
      data: ['x'],
      meta: { ...meta, org_id: 'a', end_date: '?' },
    }).split('?');
    const damaged = Buffer.concat([
      Buffer.from(`${before?.replace('"x"', 'oops')}`),
      bytes,
      Buffer.from(`${after}`),
    ]);
    expect(() => open(new Answer(damaged))).toThrow(UnreadableAnswerError);
  });

  it('may not begin with two marks of its byte order: what is archived must be readable', () => {
    const answer = answerOf(`\ufeff\ufeff${JSON.stringify({ data: [], meta })}`);
    expect(() => answer.parse()).toThrow(SyntaxError);
  });

  it('may begin with the mark of its byte order, which is not part of it', () => {
    const text = JSON.stringify({ data: [], meta });
    const marked = new Answer(Buffer.from(`\ufeff${text}`));
    expect(marked.bytes.toString()).toBe(text);
    expect(marked.digest).toBe(answerOf(text).digest);
  });
});
