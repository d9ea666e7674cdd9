import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ForgottenPersons } from '../../../src/model/forgotten-persons.ts';
import { scanItems } from '../../../src/model/json-scan.ts';
import { openChunk, type RecordSegment, segmentsOf } from '../../../src/model/record-chunk.ts';
import { sliceOf } from '../../../src/model/source.ts';
import { buildReceipt, createSourceHash, type Receipt } from '../../../src/pipeline/receive/receipt.ts';
import { createReceivedMemory } from '../../../src/pipeline/runs/received-memory.ts';
import { sampleDay, sourceOf } from '../../support/samples.ts';
import { type DataDirectory, makeDataDirectory } from '../../support/tiny-bounds.ts';

const users = sourceOf('users');
const slice = sliceOf(users, sampleDay);

/** The records of a page, as an answer holds them. */
function page(records: readonly unknown[], indent = 0): RecordSegment[] {
  const bytes = Buffer.from(JSON.stringify(records, null, indent));
  return segmentsOf(bytes, [...scanItems(bytes, 0)]);
}

interface Gathering {
  readonly receipt: Receipt;
  readonly directory: DataDirectory;
  /** Bytes that are free for others. */
  free(): number;
}

/** Gathers pages with bounds of its own; `hold` bytes may be in memory. */
async function gather(
  pages: readonly (readonly RecordSegment[])[],
  chunkBytes: number,
  hold: number,
  use: (gathering: Gathering) => Promise<void>,
): Promise<void> {
  await using directory = await makeDataDirectory();
  const memory = createReceivedMemory(hold, directory.path);
  const free = () => {
    let bytes = 0;
    while (memory.take(1)) bytes += 1;
    memory.give(bytes);
    return bytes;
  };
  const builder = buildReceipt(users, slice, { chunkBytes, memory, persons: new ForgottenPersons() });
  for (const runs of pages) await builder.add(runs);
  const receipt = builder.finish();
  try {
    await use({ receipt, directory, free });
  } finally {
    await receipt.release();
    expect(free()).toBe(hold);
  }
}

const textsIn = (runs: readonly RecordSegment[]): unknown[] =>
  runs.flatMap(({ bytes }): unknown => JSON.parse(`[${bytes}]`));

/** The records of each chunk. */
async function portionsOf(receipt: Receipt): Promise<unknown[][]> {
  const chunks: unknown[][] = [];
  for await (const runs of receipt.chunks()) chunks.push(textsIn(runs));
  return chunks;
}

/** The records of each chunk for the archive. */
async function chunksOf(receipt: Receipt): Promise<unknown[][]> {
  const chunks: unknown[][] = [];
  for await (const { payload, rowCount } of receipt.compressedChunks()) {
    const records = textsIn(await openChunk(payload));
    expect(records).toHaveLength(rowCount);
    chunks.push(records);
  }
  return chunks;
}

const crowd = (count: number, bytes = 100) =>
  Array.from({ length: count }, (_, index) => ({ index, filler: 'x'.repeat(bytes) }));

describe('a receipt', () => {
  it('gives back any records as they came, however they were paged and wherever they were held', async () => {
    const pages = fc.array(fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 6 }), { maxLength: 6 });
    const bounds = { chunkBytes: fc.integer({ min: 1, max: 200 }), hold: fc.constantFrom(0, 60, 10_000) };
    await fc.assert(
      fc.asyncProperty(pages, fc.record(bounds), fc.nat(2), async (said, { chunkBytes, hold }, indent) => {
        const paged = said.map((records) => page(records, indent));
        const records = said.flat();
        await gather(paged, chunkBytes, hold, async ({ receipt }) => {
          expect(receipt.records).toBe(records.length);
          for (const read of [portionsOf, chunksOf, portionsOf, chunksOf]) {
            const parts = await read(receipt);
            expect(parts.flat()).toEqual(JSON.parse(JSON.stringify(records)));
            expect(receipt.isLarge).toBe(parts.length > 1);
          }
        });
      }),
      { numRuns: 60 },
    );
  });

  it('comes in chunks of a bounded size; a page that is more is one of its own', async () => {
    const pages = [page(crowd(1)), page(crowd(2)), page(crowd(1)), page(crowd(9)), page(crowd(1))];
    await gather(pages, 400, 0, async ({ receipt }) => {
      expect((await portionsOf(receipt)).map((records) => records.length)).toEqual([3, 1, 9, 1]);
      expect(receipt.bytes).toBe(pages.flat().reduce((sum, { bytes }) => sum + bytes.length, 0));
    });
  });

  it('of no records has no chunk, compressed or not', async () => {
    await gather([page([]), page([])], 400, 0, async ({ receipt }) => {
      expect(receipt).toMatchObject({ records: 0, bytes: 0, isLarge: false });
      expect(await portionsOf(receipt)).toEqual([]);
      expect(await chunksOf(receipt)).toEqual([]);
    });
  });
});

describe('what has been received', () => {
  const pages = crowd(40, 1_000).map((record) => page([record]));

  it('takes room where there is some, and gives it back', async () => {
    await gather(pages, 2_000, 100_000, async ({ receipt, directory, free }) => {
      expect(free()).toBeLessThan(100_000);
      expect(await directory.files()).toEqual([]);
      await receipt.release();
      expect(free()).toBe(100_000);
    });
  });

  it('lies beyond that in a file without a name, and can be read again and again', async () => {
    await gather(pages, 2_000, 200, async ({ receipt, directory, free }) => {
      expect(free()).toBeLessThan(200);
      expect(await directory.files()).toEqual([]);
      expect((await portionsOf(receipt)).flat()).toEqual(crowd(40, 1_000));
      expect((await chunksOf(receipt)).flat()).toEqual(crowd(40, 1_000));
    });
  });

  it('gives back its room when there will be no receipt', async () => {
    await using directory = await makeDataDirectory();
    const memory = createReceivedMemory(100_000, directory.path);
    const builder = buildReceipt(users, slice, {
      chunkBytes: 2_000,
      memory,
      persons: new ForgottenPersons(),
    });
    for (const runs of pages) await builder.add(runs);
    expect(memory.take(100_000)).toBe(false);
    await builder.abandon();
    expect(memory.take(100_000)).toBe(true);
  });
});

describe('the source hash', () => {
  const hashOf = (source: typeof users, ...pages: readonly (readonly RecordSegment[])[]) => {
    const hash = createSourceHash(source);
    for (const run of pages.flat()) hash.add(run);
    return hash.digest().toString('hex');
  };
  const [one, two, three] = crowd(3);

  it('is the same whatever requests brought the records, and in whatever chunks they are held', async () => {
    const expected = hashOf(users, page([one, two, three]));
    expect(hashOf(users, page([one]), page([]), page([two, three]))).toBe(expected);
    for (const chunkBytes of [1, 150, 1_000])
      await gather([page([one, two]), page([three])], chunkBytes, 0, async ({ receipt }) => {
        expect(receipt.sourceHash.toString('hex')).toBe(expected);
      });
  });

  it('is another for other records, another order, other bytes, and another version of the source', () => {
    const hashes = [
      hashOf(users, page([one, two])),
      hashOf(users, page([two, one])),
      hashOf(users, page([one])),
      hashOf(users, page([one, two, three])),
      hashOf(users, page([one, { ...two, index: 7 }])),
      hashOf(users, page([one, two], 1)),
      hashOf({ ...users, version: 'another' }, page([one, two])),
      hashOf(users),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
