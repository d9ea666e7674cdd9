/** Records as the platform's bytes, and the compressed chunks of the archive and of spilled files. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { type Extent, endOfValue, extentAt, walkFields, walkItems } from './json-scan.ts';

/**
 * Adjacent records: JSON values with exactly one comma between them, few enough to be parsed at once. A record that is
 * larger than that is a segment of its own.
 */
export interface RecordSegment {
  readonly bytes: Buffer;
  readonly count: number;
  /** Whether it is a single record with more than `mostLevels` levels. */
  readonly isTooDeep?: boolean;
}

/** The field of a chunk's objects that holds records. */
export const recordsField = 'data';

/** A compressed piece of a slice: a JSON array of objects whose `data` holds records. */
export interface Chunk {
  readonly payload: Buffer;
  /** Number of records. */
  readonly rowCount: number;
  /** Bytes before compression. */
  readonly rawBytes: number;
}

/** Most bytes of a segment with several records. Only one segment at a time is in memory as objects. */
export const mostBytesOfSegment = 128 * 1024;

const compress = promisify(zstdCompress);
const decompressed = promisify(zstdDecompress);
/** Larger output pieces than Node's default, because each piece is a separate task and a chunk may have megabytes. */
const decompress = (payload: Buffer) => decompressed(payload, { chunkSize: 256 * 1024 });
/** Level 1 makes records about ten times smaller; higher levels take much more time and save little more. */
const compressionLevel = 1;
const options = {
  params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
  // One output piece is enough for most chunks.
  chunkSize: 64 * 1024,
};
/** Up to so many bytes are compressed synchronously: handing them to another thread would take longer. */
const lengthAtOnce = 64 * 1024;
const [beginning, separator, end] = [
  Buffer.from(`[{"${recordsField}":[`),
  Buffer.from(','),
  Buffer.from(']}]'),
];

/**
 * Groups the records of an answer into segments, split where more than a comma stands between two records. A record that
 * is nested too deeply is a segment of its own.
 */
export function segmentsOf(bytes: Buffer, records: readonly Extent[]): RecordSegment[] {
  const segments: RecordSegment[] = [];
  let first = 0;
  for (let index = 0; index < records.length; index++) {
    const [record, next] = [records[index], records[index + 1]];
    if (record === undefined) continue;
    const start = records[first]?.start ?? record.start;
    if (next !== undefined && areTogether(record, next) && next.end - start <= mostBytesOfSegment) continue;
    const segment = { bytes: bytes.subarray(start, record.end), count: index + 1 - first };
    segments.push(record.isTooDeep === true ? { ...segment, isTooDeep: true } : segment);
    first = index + 1;
  }
  return segments;
}

function areTogether(record: Extent, next: Extent): boolean {
  return next.start === record.end + 1 && record.isTooDeep !== true && next.isTooDeep !== true;
}

/** Compresses segments into one chunk. */
export async function compressSegments(segments: readonly RecordSegment[]): Promise<Chunk> {
  const parts = segments.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [separator, bytes]));
  const bytes = Buffer.concat([beginning, ...parts, end]);
  const payload =
    bytes.length <= lengthAtOnce ? zstdCompressSync(bytes, options) : await compress(bytes, options);
  return {
    payload,
    rowCount: segments.reduce((sum, { count }) => sum + count, 0),
    rawBytes: bytes.length,
  };
}

/**
 * Rewrites the JSON text of a chunk. Returns undefined if `rewrite` returns the buffer that it got. Throws zlib's error if
 * the chunk is damaged.
 */
export async function rewriteChunk(
  payload: Buffer,
  rewrite: (bytes: Buffer) => Buffer,
): Promise<Pick<Chunk, 'payload' | 'rawBytes'> | undefined> {
  const before = await decompress(payload);
  const bytes = rewrite(before);
  return bytes === before ? undefined : { payload: await compress(bytes, options), rawBytes: bytes.length };
}

/** The JSON text of a chunk's payload. Throws zlib's error when it is damaged. */
export async function chunkText(payload: Buffer): Promise<string> {
  return (await decompress(payload)).toString('utf8');
}

/** The segments in a chunk's payload. Throws `SyntaxError` or zlib's error when it is damaged. */
export async function openChunk(payload: Buffer): Promise<RecordSegment[]> {
  const bytes = await decompress(payload);
  const segments: RecordSegment[] = [];
  walkItems(bytes, 0, (itemStart) =>
    walkFields(bytes, itemStart, (name, start) => {
      if (name !== recordsField) return endOfValue(bytes, start);
      const records: Extent[] = [];
      const after = walkItems(bytes, start, (recordStart) => {
        const record = extentAt(bytes, recordStart);
        records.push(record);
        return record.end;
      });
      segments.push(...segmentsOf(bytes, records));
      return after;
    }),
  );
  return segments;
}
