import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { count, name, privateText, timestamp, unread, word } from '../../src/model/fields.ts';
import { withoutTexts } from '../../src/model/withheld-texts.ts';

const schema = z.object({
  id: name,
  role: word,
  text: privateText,
  extra: unread,
  calls: count,
  at: timestamp.nullish(),
  blocks: z.array(z.object({ type: word, text: privateText })).nullish(),
});

/** What is left of records. */
function left(...records: unknown[]): unknown {
  return JSON.parse(rewritten(JSON.stringify({ messages: records, pagination: { nextCursor: 'c' } })))
    .messages;
}

function rewritten(json: string): string {
  return withoutTexts(Buffer.from(json), 'messages', schema).toString();
}

describe('a record without texts', () => {
  it('has the number of code points for each text that people wrote', () => {
    expect(left({ id: 'm', text: 'Grün 🙂', blocks: [{ type: 'text', text: '' }] })).toEqual([
      { id: 'm', text: 6, blocks: [{ type: 'text', text: 0 }] },
    ]);
  });

  it('counts what is written as escapes as it is counted when it is kept', () => {
    expect(rewritten('{"messages":[{"text":"\\ud83d\\ude42\\u0000\\ud83d\\n"}]}')).toBe(
      '{"messages":[{"text":4}]}',
    );
  });

  it('keeps ids, words, figures and what is null', () => {
    const record = { id: 'An id of any kind', role: 'assistant', calls: 3, at: 1773046800, text: null };
    expect(left(record)).toEqual([record]);
  });

  it('has no word that is a text, and no text where none belongs', () => {
    expect(left({ id: 'm', role: 'a secret of two words', calls: 'secret', at: ['secret'] })).toEqual([
      { id: 'm', role: null, calls: '', at: [] },
    ]);
  });

  it('keeps nothing of fields that the schema does not know but figures and lengths', () => {
    expect(
      left({
        id: 'm',
        input: { path: 'secret' },
        list: ['secret'],
        said: 'secret',
        more: 7,
        extra: 'secret',
      }),
    ).toEqual([{ id: 'm', input: {}, list: [], said: 6, more: 7, extra: 6 }]);
  });

  it('hides the name of a field that is no word', () => {
    expect(rewritten('{"messages":[{"what I said" : "secret", "id":"m"}]}')).toBe(
      '{"messages":[{"…":6, "id":"m"}]}',
    );
  });

  it('keeps nothing of what is no record, and no entry', () => {
    expect(
      left('secret', ['secret'], 7, null, { id: 'm', blocks: 'secret' }, { blocks: ['secret'] }),
    ).toEqual(['', [], 7, null, { id: 'm', blocks: '' }, { blocks: [''] }]);
  });

  it('is the same when texts are taken out once more', () => {
    const once = rewritten(
      '{"messages":[{"id":"m","role":"no word","text":"a","said":"b","x y":"c","calls":"d"}]}',
    );
    expect(rewritten(once)).toBe(once);
  });
});

it('what is said beside the records stays, and so does what is no list of records', () => {
  const json = '{"messages":{"text":"a"},"pagination":{"nextCursor":"a b"}}';
  expect(rewritten(json)).toBe('{"messages":{},"pagination":{"nextCursor":"a b"}}');
  expect(rewritten('["a",{"messages":[{"text":"abc"}]}]')).toBe('["a",{"messages":[{"text":3}]}]');
});

it.each(['{"messages":[{"text":"secret]}', '{"messages":[tru]}', ''])('%o is no JSON', (json) => {
  expect(() => rewritten(json)).toThrow(SyntaxError);
});
