/** The raw archive: what the platform answered for each slice, compressed, newest version only. */
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import { sql } from 'kysely';
import { type ParsedRows, parseJson } from '../../model/json.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { ledgerKey } from '../ledger/slice-ledger.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Bytes gathered before they are compressed and stored as one chunk. */
const chunkLength = 1024 * 1024;
/** Level 1 compresses this data about tenfold; higher levels cost far more time than they save space. */
const compressionLevel = 1;

const options = {
  params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
  // A chunk becomes a tenth: one piece of output is enough for most.
  chunkSize: 64 * 1024,
};
/** Bytes that are compressed at once: another thread would take longer to be told than to do it. */
const lengthAtOnce = 64 * 1024;

/** A compressed piece of a slice: a JSON array of objects whose `data` holds rows. */
export interface RawChunk {
  readonly payload: Buffer;
  readonly rowCount: number;
  readonly rawBytes: number;
}

/** Gathers the answers of one slice. */
export interface RawSlice {
  /** Adds one answer, `{data: [...]}` as JSON in UTF-8, that holds `rowCount` rows. */
  add(answer: Buffer, rowCount: number): void;
  /** Compresses what is left and returns all chunks that were not taken yet. */
  takeChunks(): Promise<RawChunk[]>;
}

/** Begins to gather the raw rows of a slice. Compression runs beside the rest of the work. */
export function createRawSlice(): RawSlice {
  let answers: Buffer[] = [];
  let length = 0;
  let rowCount = 0;
  let chunks: Promise<RawChunk>[] = [];
  const flush = () => {
    if (answers.length === 0) return;
    const chunk = compressChunk(arrayOf(answers), rowCount);
    // Awaited by takeChunks; until then a rejection must not count as unhandled.
    chunk.catch(() => undefined);
    chunks.push(chunk);
    answers = [];
    length = 0;
    rowCount = 0;
  };
  return {
    add(answer, rows) {
      answers.push(answer);
      length += answer.length;
      rowCount += rows;
      if (length >= chunkLength) flush();
    },
    async takeChunks() {
      flush();
      const taken = chunks;
      chunks = [];
      return Promise.all(taken);
    },
  };
}

function arrayOf(answers: readonly Buffer[]): Buffer {
  const [beginning, separator, end] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];
  const parts = answers.flatMap((answer, index) => [index === 0 ? beginning : separator, answer]);
  return Buffer.concat([...parts, end]);
}

async function compressChunk(bytes: Buffer, rowCount: number): Promise<RawChunk> {
  const payload =
    bytes.length <= lengthAtOnce ? zstdCompressSync(bytes, options) : await compress(bytes, options);
  return { payload, rowCount, rawBytes: bytes.length };
}

/** Removes what is stored of a slice. */
export async function deleteRawSlice(db: Database, orgKey: number, slice: Slice): Promise<void> {
  await db
    .deleteFrom('etl.raw_slice')
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', slice.endpoint)
    .where('slice_key', '=', slice.key)
    .execute();
}

/** Stores chunks of a slice, numbered from `firstChunk`. */
export function storeRawChunks(
  db: Database,
  orgKey: number,
  slice: Slice,
  runId: string,
  firstChunk: number,
  chunks: readonly RawChunk[],
): Promise<void> {
  return storeRawSlices(db, orgKey, runId, [{ slice, firstChunk, chunks }]);
}

/** Stores chunks of slices, those of each numbered from `firstChunk`. */
export async function storeRawSlices(
  db: Database,
  orgKey: number,
  runId: string,
  slices: readonly {
    readonly slice: Slice;
    readonly firstChunk: number;
    readonly chunks: readonly RawChunk[];
  }[],
): Promise<void> {
  const rows = slices.flatMap(({ slice, firstChunk, chunks }) =>
    chunks.map(({ payload, rowCount, rawBytes }, index) => ({
      org_key: orgKey,
      endpoint: slice.endpoint,
      slice_key: slice.key,
      chunk: firstChunk + index,
      usage_date: slice.usageDate,
      row_count: rowCount,
      payload,
      raw_bytes: rawBytes,
      run_id: runId,
    })),
  );
  if (rows.length > 0) await db.insertInto('etl.raw_slice').values(rows).execute();
}

/** Reads the raw rows of a slice, chunk by chunk; yields nothing when none are kept. */
export async function* readRawSlice(db: Database, orgKey: number, slice: Slice): AsyncGenerator<ParsedRows> {
  for (let chunk = 0; ; chunk++) {
    const stored = await db
      .selectFrom('etl.raw_slice')
      .select('payload')
      .where('org_key', '=', orgKey)
      .where('endpoint', '=', slice.endpoint)
      .where('slice_key', '=', slice.key)
      .where('chunk', '=', chunk)
      .executeTakeFirst();
    if (stored === undefined) return;
    const text = (await decompress(stored.payload)).toString('utf8');
    const { value, mayHoldUnstorableCharacters } = parseJson(text);
    yield { rows: rowsIn(value), mayHoldUnstorableCharacters };
  }
}

function rowsIn(answers: unknown): unknown[] {
  return Array.isArray(answers) ? answers.flatMap(dataOf) : [];
}

function dataOf(answer: unknown): unknown[] {
  const data: unknown =
    typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'data') : undefined;
  return Array.isArray(data) ? data : [];
}

/**
 * Removes an organization's slices of days more than `retentionDays` before `today`; the ledger knows that nothing of
 * them is archived any more. Returns how many chunks went.
 */
export async function expireRawSlices(
  db: Database,
  orgKey: number,
  today: string,
  retentionDays: number,
): Promise<number> {
  const { rows } = await sql<{ chunks: number }>`
    with expired as (
      delete from etl.raw_slice
      where org_key = ${orgKey}
        and usage_date < ${today}::date - ${retentionDays}::integer
      returning endpoint, slice_key
    ),
    noted as (
      update etl.slice
      set raw_chunks = null, raw_rows = null
      where org_key = ${orgKey}
        and (endpoint, slice_key) in (select endpoint, slice_key from expired)
    )
    select count(*)::integer as chunks from expired
  `.execute(db);
  return rows[0]?.chunks ?? 0;
}

/** The slices of an organization that the archive holds, as `ledgerKey` writes them. */
export async function archivedSlices(db: Database, orgKey: number): Promise<Set<string>> {
  const rows = await db
    .selectFrom('etl.raw_slice')
    .select(['endpoint', 'slice_key'])
    .distinct()
    .where('org_key', '=', orgKey)
    .execute();
  return new Set(rows.map((row) => ledgerKey(row.endpoint, row.slice_key)));
}
