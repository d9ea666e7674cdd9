/** A slice as it was received: the bytes of its records, in memory or in a file, and their digest. */
import { createHash } from 'node:crypto';
import type { ForgottenPersons } from '../../model/forgotten-persons.ts';
import { type Chunk, compressSegments, openChunk, type RecordSegment } from '../../model/record-chunk.ts';
import type { Slice, Source } from '../../model/source.ts';
import { openSpillFile, type ReceivedMemory, type SpillFile } from './received-memory.ts';

/** A slice as received, or as archived. It can be read again and again, so that a load can be repeated. */
export interface Receipt {
  readonly source: Source;
  readonly slice: Slice;
  /** Digest of the records' own bytes, whatever requests brought them, and of the code that flattens them. */
  readonly sourceHash: Buffer;
  /** Whether what is kept are not the records' own bytes, because they named somebody who is forgotten. */
  readonly isRewritten: boolean;
  /** Number of records. */
  readonly records: number;
  /** Bytes of the records. */
  readonly bytes: number;
  /** Bytes of its largest portion. */
  readonly portionBytes: number;
  /** Whether it has more than one portion. */
  readonly isLarge: boolean;
  /** The records, a portion at a time. */
  portions(): AsyncIterable<readonly RecordSegment[]>;
  /** The same, compressed for the archive. */
  chunks(): AsyncIterable<Chunk>;
  /** Lets go of memory and files. */
  release(): Promise<void>;
}

/** Gathers the records of one slice. */
export interface ReceiptBuilder {
  readonly slice: Slice;
  /** Adds records in the order in which they came; resolves when there is room for more. */
  add(segments: readonly RecordSegment[]): Promise<void>;
  /** The receipt. Nothing may be added any more. */
  finish(): Receipt;
  /** Releases what was gathered, when there will be no receipt. */
  abandon(): Promise<void>;
}

/** How to gather. */
export interface ReceiptOptions {
  /** Bytes of records in a portion, unless one record has more. */
  readonly chunkBytes: number;
  readonly memory: ReceivedMemory;
  /** Whom nothing that is kept may name. */
  readonly persons: ForgottenPersons;
}

/** A compressed portion: in memory, or in the spill file from `start` on. */
type Held = Omit<Chunk, 'payload'> & {
  readonly length: number;
  readonly payload: Buffer | undefined;
  readonly start: number;
};

const comma = Buffer.from(',');

/** Digest over records with a comma between them. */
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
  let portionsClosed = 0;
  /** What becomes of the portion that was closed last: it is compressed while the next one comes. */
  let closing: Promise<void> = Promise.resolve();
  let open: RecordSegment[] = [];
  let openBytes = 0;
  let portionBytes = 0;
  let [bytes, records] = [0, 0];
  let isRewritten = false;
  let file: SpillFile | undefined;
  let compressed: Promise<Chunk> | undefined;

  async function close(): Promise<void> {
    await closing;
    closing = hold(open);
    // Whoever needs it waits for it, and hears of it. Until then, a failure must not count as unhandled.
    closing.catch(() => undefined);
    portionsClosed += 1;
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
    if (read === undefined) throw new TypeError('a portion is neither in memory nor in a file');
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
    portionBytes,
    isLarge: portionsClosed + (open.length > 0 ? 1 : 0) > 1,
    async *portions() {
      await closing;
      for (const held of closed) yield openChunk((await chunkOf(held)).payload);
      if (open.length > 0) yield open;
    },
    async *chunks() {
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
        // Closed only when more comes: the last portion, often the only one, need not be compressed to be loaded.
        if (openBytes > 0 && openBytes + segment.bytes.length > chunkBytes) await close();
        open.push(segment);
        openBytes += segment.bytes.length;
        portionBytes = Math.max(portionBytes, openBytes);
        bytes += segment.bytes.length;
        records += segment.count;
      }
    },
    finish,
    abandon: release,
  };
}
