import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openAnswer } from '../../src/extract/envelope.ts';
import { day } from '../../src/model/day.ts';
import { UnexpectedAnswerError } from '../../src/model/errors.ts';
import { analyticsEnvelope } from '../../src/sources/analytics.ts';

const of = day('2026-03-09');
const meta = { org_id: 'org_a', start_date: of, end_date: of, has_more: true, next_cursor: 'user_9' };

const request = { path: '/users', query: {}, days: { from: of, to: of } };
const openBytes = (bytes: Buffer) => openAnswer(bytes, analyticsEnvelope, request);
const open = (text: string) => openBytes(Buffer.from(text));

/** All that a page says, or that it cannot be one. */
function said(text: string): unknown {
  try {
    const { organizationId, cursor, pagingProblem, bytes, records } = open(text);
    const data = records.map(({ start, end }): unknown => JSON.parse(bytes.toString('utf8', start, end)));
    return { organizationId, cursor, isLost: pagingProblem !== undefined, data };
  } catch (error) {
    expect(error).toBeInstanceOf(UnexpectedAnswerError);
    return 'refused';
  }
}

/** The same by parsing the whole. */
function expected(text: string): unknown {
  const { data, meta: described } = JSON.parse(text);
  if (!Array.isArray(data) || typeof described !== 'object' || described === null) return 'refused';
  const { org_id, start_date, end_date, has_more, next_cursor } = described;
  const isNamed = typeof org_id === 'string' && org_id !== '' && start_date === of && end_date === of;
  if (!isNamed) return 'refused';
  const cursor = typeof next_cursor === 'string' && next_cursor !== '' ? next_cursor : undefined;
  const saysNothing = [has_more, next_cursor].every((said) => (said ?? '') === '');
  const isCalledLast = has_more === false || has_more === 0 || has_more === 'false';
  return {
    organizationId: org_id,
    cursor,
    isLost: cursor === undefined && !saysNothing && !isCalledLast,
    data,
  };
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
  fc.constant<unknown>({ ...meta, next_cursor: '' }),
  fc.constant<unknown>({ ...meta, start_date: '2026-03-08' }),
  value,
);
const field = fc.tuple(fc.constantFrom('data', 'meta', 'more'), fc.oneof(description, fc.array(value)));
const space = fc.constantFrom('', ' ', '\r\n\t');
/** Bodies as JSON text, with fields in any order, left out, or twice, and with or without white space. */
const body = fc
  .record({
    order: fc.shuffledSubarray([0, 1]),
    described: description,
    rows: fc.array(value),
    others: fc.array(field, { maxLength: 2 }),
    space,
  })
  .map(({ order, described, rows, others, space: between }) => {
    const usual = order.map((which) => (which === 0 ? ['data', rows] : ['meta', described]));
    const indent = between === '' ? 0 : 2;
    const fields = [...others, ...usual].map(
      ([name, item]) =>
        `${between}${JSON.stringify(name)}${between}:${between}${JSON.stringify(item, null, indent)}${between}`,
    );
    return `${between}{${fields.join(',')}}${between}`;
  });

describe('an answer that is cut into records', () => {
  it('says the same as one that is parsed, whatever stands in it', () => {
    let pages = 0;
    fc.assert(
      fc.property(body, (text) => {
        const wanted = expected(text);
        expect(said(text)).toEqual(wanted);
        if (wanted !== 'refused') pages += 1;
      }),
      { numRuns: 3_000 },
    );
    expect(pages).toBeGreaterThan(100);
  });

  it('is no JSON when it ends anywhere before its end', () => {
    const whole = JSON.stringify({ data: [{ a: [1, 'é'] }], meta }, null, 1);
    const bytes = Buffer.from(whole);
    for (let end = 0; end < bytes.length; end++)
      expect(() => openBytes(bytes.subarray(0, end)), `${end}`).toThrow(SyntaxError);
    expect(open(whole).records).toHaveLength(1);
  });

  it.each([
    ['a record is none', `{"data":[{"a":oops}],"meta":${JSON.stringify(meta)}}`],
    ['something follows it', `${JSON.stringify({ data: [], meta })}]`],
    ['a field beside data and meta is none', `{"data":[],"more":[1,],"meta":${JSON.stringify(meta)}}`],
  ])('is no JSON when %s', (_, text) => {
    expect(() => open(text)).toThrow(SyntaxError);
  });

  it.each([
    ['its meta', '{"data":[],"meta":{"org_id":"?"}}'],
    ['a record', '{"data":["?"],"meta":{}}'],
    ['something else', '{"?":0,"data":[],"meta":{}}'],
  ])('is no JSON when %s holds bytes that are no text', (_, text) => {
    const [before = '', after = ''] = text.split('?');
    const damaged = Buffer.concat([Buffer.from(before), Buffer.from([0xff]), Buffer.from(after)]);
    expect(() => openBytes(damaged)).toThrow(SyntaxError);
  });

  it('may begin with the mark of its byte order, which is not part of it, but not with two', () => {
    const text = JSON.stringify({ data: [{ a: 1 }], meta });
    expect(open(`\ufeff${text}`).bytes.toString()).toBe(text);
    expect(said(`\ufeff${text}`)).toEqual(said(text));
    expect(() => open(`\ufeff\ufeff${text}`)).toThrow(SyntaxError);
  });

  it('tells in words what its envelope lacks', () => {
    expect(() => open('{"meta":{"org_id":""}}')).toThrow(
      /expected the envelope \{data, meta\}.*data: expected an array; meta\.org_id: .*meta\.start_date: /,
    );
  });
});

describe('an answer that would take more memory than its bytes', () => {
  const deep = '['.repeat(100) + ']'.repeat(100);
  const page = (data: string, described = JSON.stringify(meta), more = '') =>
    `{"data":${data},"meta":${described}${more}}`;

  it('is opened where records are nested too deeply: these are told from the others', () => {
    const { records } = open(page(`[{"a":1},{"a":${deep}},[]]`));
    expect(records.map(({ isTooDeep = false }) => isTooDeep)).toEqual([false, true, false]);
  });

  it.each([
    ['beside its records', page('[]', undefined, `,"more":${deep}`)],
    ['in its meta', page('[]', `{"org_id":${deep}}`)],
    ['in what should be records', page(`{"a":${deep}}`)],
    ['and is no envelope', deep],
  ])('is refused with a sentence where it is nested too deeply %s', (_, text) => {
    expect(() => open(text)).toThrow(UnexpectedAnswerError);
    expect(() => open(text)).toThrow('expected at most 64 levels of nesting in an answer');
  });

  it('is refused where its meta is larger than any', () => {
    const large = JSON.stringify({ ...meta, org_id: 'x'.repeat(65_536) });
    expect(() => open(page('[]', large))).toThrow(/^meta: expected at most 65536 bytes, got 65\d+$/);
  });

  it('is asked for in smaller parts where it has more records than anybody can look at', () => {
    const records = (count: number) => page(`[${'1,'.repeat(count - 1)}1]`);
    expect(open(records(250_000)).records).toHaveLength(250_000);
    expect(() => open(records(250_001))).toThrow(
      expect.objectContaining({ smallerMayWork: true, message: 'the answer has more than 250000 records' }),
    );
  });
});
