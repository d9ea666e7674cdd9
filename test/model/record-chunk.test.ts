import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanItems } from '../../src/model/json-scan.ts';
import { compressSegments, openChunk, type RecordSegment, segmentsOf } from '../../src/model/record-chunk.ts';

/** The records of a JSON array, as they stand in it. */
function runsIn(text: string): RecordSegment[] {
  const bytes = Buffer.from(text);
  return segmentsOf(bytes, [...scanItems(bytes, 0)]);
}

const textsOf = (runs: readonly RecordSegment[]) => runs.map(({ bytes }) => bytes.toString());

describe('runs', () => {
  it('hold records between which nothing but a comma stands', () => {
    expect(textsOf(runsIn('[1,2,3]'))).toEqual(['1,2,3']);
    expect(textsOf(runsIn('[ {"a": 1},{"b":2} ,3, 4,5]'))).toEqual(['{"a": 1},{"b":2}', '3', '4,5']);
    expect(runsIn('[1, 2,3]').map(({ count }) => count)).toEqual([1, 2]);
    expect(runsIn('[ ]')).toEqual([]);
  });

  it('are as long as can be parsed at once, and longer only for a single record', () => {
    const record = { filler: 'x'.repeat(50_000) };
    const large = { filler: 'x'.repeat(200_000) };
    const runs = runsIn(JSON.stringify([record, record, record, large, record, record]));
    expect(runs.map(({ count }) => count)).toEqual([2, 1, 1, 2]);
  });

  it('of some records of an answer leave out what stands between them', () => {
    const bytes = Buffer.from('[1,2,3,4,5]');
    const some = [...scanItems(bytes, 0)].filter((_, index) => index !== 2);
    expect(textsOf(segmentsOf(bytes, some))).toEqual(['1,2', '4,5']);
  });
});

describe('a record that is nested too deeply', () => {
  const deep = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`;

  it('is a run of its own, and is known for it when it comes out of a chunk', async () => {
    const runs = runsIn(`[1,2,${deep},3,${deep}]`);
    const told = (some: readonly RecordSegment[]) =>
      some.map(({ count, isTooDeep = false }) => [count, isTooDeep]);
    const expected = [
      [2, false],
      [1, true],
      [1, false],
      [1, true],
    ];
    expect(told(runs)).toEqual(expected);
    expect(textsOf(runs)).toEqual(['1,2', deep, '3', deep]);
    expect(told(await openChunk((await compressSegments(runs)).payload))).toEqual(expected);
  });
});

describe('a chunk', () => {
  it('gives back its records, character by character', async () => {
    const pages = fc.array(fc.array(fc.jsonValue(), { maxLength: 5 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(pages, fc.nat(2), async (said, indent) => {
        const runs = said.flatMap((records) => runsIn(JSON.stringify(records, null, indent)));
        const chunk = await compressSegments(runs);
        expect(chunk.rowCount).toBe(said.flat().length);
        const opened = await openChunk(chunk.payload);
        expect(textsOf(opened).join()).toBe(textsOf(runs).join());
        expect(opened.reduce((sum, { count }) => sum + count, 0)).toBe(said.flat().length);
      }),
      { numRuns: 100 },
    );
  });

  it.each([10, 100_000])(
    'of %i bytes a record is a compressed JSON array of objects with data',
    async (length) => {
      const record = { filler: 'x'.repeat(length) };
      const { payload, rawBytes } = await compressSegments(runsIn(JSON.stringify([record, record])));
      const text = zstdDecompressSync(payload).toString();
      expect(JSON.parse(text)).toEqual([{ data: [record, record] }]);
      expect(rawBytes).toBe(text.length);
    },
  );

  it('may hold whole answers one after the other, as those of earlier versions do', async () => {
    const answers = '[{"data":[1, 2],"meta":{"data":[9]}} , {"meta":{},"data":[]},{"data":[{"data":[3]}]}]';
    const runs = await openChunk(zstdCompressSync(answers));
    expect(textsOf(runs)).toEqual(['1', '2', '{"data":[3]}']);
  });

  it.each([
    ['is no longer what was compressed', Buffer.from('oops')],
    ['ends early', zstdCompressSync('[{"data":[1,2')],
    ['holds something else', zstdCompressSync('{"data":[]}')],
  ])('is refused when it %s', async (_, payload) => {
    await expect(openChunk(payload)).rejects.toThrow();
  });
});
