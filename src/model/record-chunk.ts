/** Records as the bytes that the platform sent, and the compressed chunks that the archive and spilled files hold. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { type Extent, endOfValue, extentAt, walkFields, walkItems } from './json-scan.ts';

/**
 * Records that stand next to each other: JSON values with exactly one comma between them. They are few enough to be
 * parsed at once; a larger record is a run of its own.
 */
export interface RecordRun {
  readonly bytes: Buffer;
  readonly count: number;
  /** Whether it is a single record that has more levels than are parsed at once. */
  readonly isTooDeep?: boolean;
}

/** The field of a chunk's objects that holds records. */
export const recordsField = 'data';

/** A compressed piece of a slice: a JSON array of objects whose `data` holds records. */
export interface Chunk {
  readonly payload: Buffer;
  /** Records in it. */
  readonly rowCount: number;
  /** Bytes before compression. */
  readonly rawBytes: number;
}

/** Bytes of a run, unless it is a single record: no more than this is in memory as objects. */
export const mostBytesOfRun = 128 * 1024;

const compress = promisify(zstdCompress);
const decompressed = promisify(zstdDecompress);
/** Each piece of output is a task of its own, and Node's own pieces are small for chunks of megabytes. */
const decompress = (payload: Buffer) => decompressed(payload, { chunkSize: 256 * 1024 });
/** Level 1 compresses this data about tenfold; higher levels cost far more time than they save space. */
const compressionLevel = 1;
const options = {
  params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
  // A chunk becomes a tenth: one piece of output is enough for most.
  chunkSize: 64 * 1024,
};
/** Bytes that are compressed at once: another thread would take longer to be told than to do it. */
const lengthAtOnce = 64 * 1024;
const [beginning, separator, end] = [
  Buffer.from(`[{"${recordsField}":[`),
  Buffer.from(','),
  Buffer.from(']}]'),
];

/**
 * The runs that records of an answer form, where nothing but commas stands between them. A record that is nested too
 * deeply is a run of its own.
 */
export function runsOf(bytes: Buffer, records: readonly Extent[]): RecordRun[] {
  const runs: RecordRun[] = [];
  let first = 0;
  for (let index = 0; index < records.length; index++) {
    const [record, next] = [records[index], records[index + 1]];
    if (record === undefined) continue;
    const start = records[first]?.start ?? record.start;
    if (next !== undefined && areTogether(record, next) && next.end - start <= mostBytesOfRun) continue;
    const run = { bytes: bytes.subarray(start, record.end), count: index + 1 - first };
    runs.push(record.isTooDeep === true ? { ...run, isTooDeep: true } : run);
    first = index + 1;
  }
  return runs;
}

function areTogether(record: Extent, next: Extent): boolean {
  return next.start === record.end + 1 && record.isTooDeep !== true && next.isTooDeep !== true;
}

/** Compresses runs into one chunk. */
export async function compressRuns(runs: readonly RecordRun[]): Promise<Chunk> {
  const parts = runs.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [separator, bytes]));
  const bytes = Buffer.concat([beginning, ...parts, end]);
  const payload =
    bytes.length <= lengthAtOnce ? zstdCompressSync(bytes, options) : await compress(bytes, options);
  return {
    payload,
    rowCount: runs.reduce((sum, { count }) => sum + count, 0),
    rawBytes: bytes.length,
  };
}

/**
 * The same chunk with other bytes, as `rewrite` makes them of JSON text; undefined where it gives them back as they are,
 * in the same buffer. Throws what zlib throws when the chunk is damaged.
 */
export async function rewriteChunk(
  payload: Buffer,
  rewrite: (bytes: Buffer) => Buffer,
): Promise<Pick<Chunk, 'payload' | 'rawBytes'> | undefined> {
  const before = await decompress(payload);
  const bytes = rewrite(before);
  return bytes === before ? undefined : { payload: await compress(bytes, options), rawBytes: bytes.length };
}

/** The JSON text of a chunk's payload. Throws what zlib throws when it is damaged. */
export async function chunkText(payload: Buffer): Promise<string> {
  return (await decompress(payload)).toString('utf8');
}

/** The runs in a chunk's payload. Throws `SyntaxError`, or what zlib throws, when it is damaged. */
export async function openChunk(payload: Buffer): Promise<RecordRun[]> {
  const bytes = await decompress(payload);
  const runs: RecordRun[] = [];
  walkItems(bytes, 0, (itemStart) =>
    walkFields(bytes, itemStart, (name, start) => {
      if (name !== recordsField) return endOfValue(bytes, start);
      const records: Extent[] = [];
      const after = walkItems(bytes, start, (recordStart) => {
        const record = extentAt(bytes, recordStart);
        records.push(record);
        return record.end;
      });
      runs.push(...runsOf(bytes, records));
      return after;
    }),
  );
  return runs;
}
