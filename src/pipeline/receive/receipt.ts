/** A received slice: the bytes of its records, in memory or in a file, and their digest. */
import { createHash } from 'node:crypto';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { type Chunk, compressSegments, openChunk, type RecordSegment } from '../../model/record-chunk.ts';
import type { Slice, Source } from '../../model/source.ts';
import { openSpillFile, type ReceivedMemory, type SpillFile } from '../runs/received-memory.ts';

/** A received or archived slice. It can be read many times, so that a load can be repeated. */
export interface Receipt {
  readonly source: Source;
  readonly slice: Slice;
  /**
   * Digest of the records as the platform sent them, and of the version of the flattening code. How the records were
   * divided among requests makes no difference.
   */
  readonly sourceHash: Buffer;
  /** Whether the records were rewritten because they named a forgotten person. */
  readonly isRewritten: boolean;
  /** Number of records. */
  readonly records: number;
  /** Bytes of the records. */
  readonly bytes: number;
  /** Bytes of the receipt's largest chunk. */
  readonly largestChunkBytes: number;
  /** Whether the receipt has more than one chunk. */
  readonly isLarge: boolean;
  /** The records, chunk by chunk. */
  chunks(): AsyncIterable<readonly RecordSegment[]>;
  /** The chunks, compressed for the archive. */
  compressedChunks(): AsyncIterable<Chunk>;
  /** Frees memory and files. */
  release(): Promise<void>;
}

/** Gathers the records of one slice. */
export interface ReceiptBuilder {
  readonly slice: Slice;
  /** Adds records in the order in which they came; resolves when there is room for more. */
  add(segments: readonly RecordSegment[]): Promise<void>;
  /** Returns the receipt; do not call `add` afterwards. */
  finish(): Receipt;
  /** Frees memory and files if there will be no receipt. */
  abandon(): Promise<void>;
}

/** Options for gathering records. */
export interface ReceiptOptions {
  /** Most bytes of records in a chunk, unless one record has more. */
  readonly chunkBytes: number;
  readonly memory: ReceivedMemory;
  /** Persons that stored records must not name. */
  readonly persons: ForgottenPersons;
}

/** A compressed chunk: in memory, or in the spill file from `start` on. */
type Held = Omit<Chunk, 'payload'> & {
  readonly length: number;
  readonly payload: Buffer | undefined;
  readonly start: number;
};

const comma = Buffer.from(',');

/** A digest of the version of a source and of records with a comma between them. */
export function createSourceHash(source: Source) {
  const hash = createHash('sha256').update(`${source.version}\n`);
  let isFirst = true;
  return {
    add({ bytes }: RecordSegment): void {
      if (!isFirst) hash.update(comma);
      isFirst = false;
      hash.update(bytes);
    },
    digest: () => hash.digest(),
  };
}

/** Begins to gather a slice. */
export function buildReceipt(
  source: Source,
  slice: Slice,
  { chunkBytes, memory, persons }: ReceiptOptions,
): ReceiptBuilder {
  const hash = createSourceHash(source);
  const closed: Held[] = [];
  let chunksClosed = 0;
  /** The compression of the last closed chunk. It goes on while the next chunk arrives. */
  let closing: Promise<void> = Promise.resolve();
  let open: RecordSegment[] = [];
  let openBytes = 0;
  let largestChunkBytes = 0;
  let [bytes, records] = [0, 0];
  let isRewritten = false;
  let file: SpillFile | undefined;
  let compressed: Promise<Chunk> | undefined;

  async function close(): Promise<void> {
    await closing;
    closing = hold(open);
    // `closing` is awaited later. Until then, a rejection must not count as unhandled.
    closing.catch(() => undefined);
    chunksClosed += 1;
    open = [];
    openBytes = 0;
  }

  async function hold(segments: readonly RecordSegment[]): Promise<void> {
    const chunk = await compressSegments(segments);
    const { payload, rowCount, rawBytes } = chunk;
    const inMemory = memory.take(payload.length);
    if (!inMemory) file ??= openSpillFile(memory.directory);
    const start = inMemory ? 0 : ((await file?.write(payload)) ?? 0);
    closed.push({
      rowCount,
      rawBytes,
      length: payload.length,
      payload: inMemory ? payload : undefined,
      start,
    });
  }

  async function chunkOf({ payload, start, length, rowCount, rawBytes }: Held): Promise<Chunk> {
    const read = payload ?? (await file?.read(start, length));
    if (read === undefined) throw new TypeError('a chunk is neither in memory nor in a file');
    return { payload: read, rowCount, rawBytes };
  }

  async function release(): Promise<void> {
    await closing.catch(() => undefined);
    for (const { payload } of closed.splice(0)) if (payload !== undefined) memory.give(payload.length);
    open = [];
    compressed = undefined;
    const opened = file;
    file = undefined;
    await opened?.close();
  }

  const finish = (): Receipt => ({
    source,
    slice,
    sourceHash: hash.digest(),
    isRewritten,
    records,
    bytes,
    largestChunkBytes,
    isLarge: chunksClosed + (open.length > 0 ? 1 : 0) > 1,
    async *chunks() {
      await closing;
      for (const held of closed) yield openChunk((await chunkOf(held)).payload);
      if (open.length > 0) yield open;
    },
    async *compressedChunks() {
      await closing;
      for (const held of closed) yield chunkOf(held);
      if (open.length === 0) return;
      compressed ??= compressSegments(open);
      yield compressed;
    },
    release,
  });

  return {
    slice,
    async add(segments) {
      for (const received of segments) {
        hash.add(received);
        const segment = { ...received, bytes: persons.inJson(received.bytes) };
        isRewritten ||= segment.bytes !== received.bytes;
        // A chunk is closed (compressed) only when more records come: the last chunk, often the only one, is loaded
        // uncompressed.
        if (openBytes > 0 && openBytes + segment.bytes.length > chunkBytes) await close();
        open.push(segment);
        openBytes += segment.bytes.length;
        largestChunkBytes = Math.max(largestChunkBytes, openBytes);
        bytes += segment.bytes.length;
        records += segment.count;
      }
    },
    finish,
    abandon: release,
  };
}
