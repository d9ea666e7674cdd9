import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  endOfValue,
  extentAt,
  mostLevels,
  scanFields,
  scanItems,
  scanText,
} from '../../src/model/json-scan.ts';

const parsesAs = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};
const scans = (text: string): boolean => {
  try {
    scanText(Buffer.from(text));
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return false;
  }
};

describe('scanText', () => {
  test('takes every JSON text whole, however it is spaced', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const spaced = ` ${JSON.stringify(JSON.parse(text), null, space)}\n`;
        const { start, end } = scanText(Buffer.from(spaced));
        expect(JSON.parse(Buffer.from(spaced).subarray(start, end).toString())).toEqual(JSON.parse(text));
      }),
    );
  });

  test('agrees with JSON.parse on texts in which one byte was replaced, removed or added', () => {
    const wrong = [...'{}[]",:\\u0aeE+-.1 tfn\n\u0001x'];
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...wrong), fc.nat(2), (text, place, byte, way) => {
        const at = place % (text.length + 1);
        const changed = text.slice(0, at) + (way === 1 ? '' : byte) + text.slice(way === 2 ? at : at + 1);
        expect([changed, scans(changed)]).toEqual([changed, parsesAs(changed)]);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    '',
    ' ',
    '{"a":1',
    '{"a":1}}',
    '[1,]',
    '{"a":1,}',
    '01',
    '1.',
    '.5',
    '-',
    '1e',
    '+1',
    'nul',
    '"a',
    '"\n"',
    '"\\x"',
    '"\\u12g4"',
    '[1 2]',
    '{1:2}',
    '{"a" 1}',
    '\ufeff{}',
  ])('refuses %j, as JSON.parse does', (text) => {
    expect(parsesAs(text)).toBe(false);
    expect(scans(text)).toBe(false);
  });

  test('is not troubled by a hundred thousand levels', () => {
    const text = '['.repeat(100_000) + ']'.repeat(100_000);
    expect(endOfValue(Buffer.from(text), 0)).toBe(text.length);
  });
});

describe('extentAt', () => {
  const nested = (levels: number, [open, close]: readonly [string, string] = ['[', ']']) =>
    `${open.repeat(levels)}${close.repeat(levels)}`;
  const isTooDeep = (text: string) => {
    const { end, isTooDeep: told = false } = extentAt(Buffer.from(text), 0);
    expect(end).toBe(text.length);
    return told;
  };

  test('tells what has more levels than are parsed, of any kind and at any place', () => {
    expect(isTooDeep(nested(mostLevels))).toBe(false);
    expect(isTooDeep(nested(mostLevels + 1))).toBe(true);
    expect(isTooDeep(nested(mostLevels + 1, ['{"a":[1,', '],"b":0}']).replaceAll('[1,]', '[]'))).toBe(true);
    expect(isTooDeep(`{"a":1,"b":[[],${nested(mostLevels - 2)}],"c":{}}`)).toBe(false);
    expect(isTooDeep(`{"a":1,"b":[[],${nested(mostLevels - 1)}],"c":{}}`)).toBe(true);
  });

  test('counts no brackets in texts, and none that are closed again', () => {
    expect(isTooDeep(`["${nested(mostLevels + 1)}"]`)).toBe(false);
    expect(isTooDeep(`[${'[],{},'.repeat(mostLevels)}[]]`)).toBe(false);
  });
});

describe('scanFields', () => {
  test('finds the fields of an object, each name with its value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, value) => {
        const [name = 'a'] = Object.keys(object);
        const text = `{${JSON.stringify(name)}:1${Object.keys(object).length > 0 ? ',' : ''}${JSON.stringify({ ...object, [name]: value }).slice(1)}`;
        if (!parsesAs(text)) return;
        const bytes = Buffer.from(text);
        const found = [...scanFields(bytes, 0)].map(({ name: field, value: { start, end } }) => [
          field,
          JSON.parse(bytes.subarray(start, end).toString()),
        ]);
        expect(new Map(found as [string, unknown][])).toEqual(new Map(Object.entries(JSON.parse(text))));
      }),
    );
  });

  test('refuses other values', () => {
    expect(() => [...scanFields(Buffer.from('[]'), 0)]).toThrow('expected an object');
  });
});

describe('what stands in an array or object', () => {
  test('is refused where it is no JSON, as parsing the whole would', () => {
    for (const text of ['[1 2]', '[1,]', '[1', '[', '[,1]'])
      expect(() => [...scanItems(Buffer.from(text), 0)], text).toThrow(SyntaxError);
    for (const text of ['{"a" 1}', '{"a":1,}', '{"a":1', '{', '{1:2}', '{"a":1 "b":2}'])
      expect(() => [...scanFields(Buffer.from(text), 0)], text).toThrow(SyntaxError);
  });

  test('is found a piece at a time: nobody waits for the end', () => {
    const [first] = scanItems(Buffer.from('[1,oops'), 0);
    expect(first).toEqual({ start: 1, end: 2 });
  });
});

describe('scanItems', () => {
  test('finds the items of an array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (items) => {
        const bytes = Buffer.from(JSON.stringify(items, null, 1));
        const found = [...scanItems(bytes, 0)].map(({ start, end }) =>
          JSON.parse(bytes.subarray(start, end).toString()),
        );
        expect(found).toEqual(JSON.parse(JSON.stringify(items)));
      }),
    );
  });

  test('refuses other values', () => {
    expect(() => [...scanItems(Buffer.from('{}'), 0)]).toThrow('expected an array');
  });
});
