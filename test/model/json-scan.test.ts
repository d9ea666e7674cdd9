import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfValue, scanFields, scanItems, scanText } from '../../src/model/json-scan.ts';

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

describe('scanFields', () => {
  test('finds the fields of an object, of a name that comes twice the last', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, value) => {
        const [name = 'a'] = Object.keys(object);
        const text = `{${JSON.stringify(name)}:1${Object.keys(object).length > 0 ? ',' : ''}${JSON.stringify({ ...object, [name]: value }).slice(1)}`;
        if (!parsesAs(text)) return;
        const bytes = Buffer.from(text);
        const found = [...scanFields(bytes, 0)].map(([field, { start, end }]) => [
          field,
          JSON.parse(bytes.subarray(start, end).toString()),
        ]);
        expect(new Map(found as [string, unknown][])).toEqual(new Map(Object.entries(JSON.parse(text))));
      }),
    );
  });

  test('refuses other values', () => {
    expect(() => scanFields(Buffer.from('[]'), 0)).toThrow('expected an object');
  });
});

describe('scanItems', () => {
  test('finds the items of an array', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (items) => {
        const bytes = Buffer.from(JSON.stringify(items, null, 1));
        const found = scanItems(bytes, 0).map(({ start, end }) =>
          JSON.parse(bytes.subarray(start, end).toString()),
        );
        expect(found).toEqual(JSON.parse(JSON.stringify(items)));
      }),
    );
  });

  test('refuses other values', () => {
    expect(() => scanItems(Buffer.from('{}'), 0)).toThrow('expected an array');
  });
});
