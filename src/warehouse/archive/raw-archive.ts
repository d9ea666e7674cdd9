/** The raw archive: the platform's newest answer for each slice, compressed. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { type Chunk, openChunk, type RecordSegment } from '../../model/record-chunk.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { nextPosition, type RowPosition, readOnlyWhatIsNamed } from '../connection/one-pass.ts';
import type { ArchivedSize } from '../ledger/slice-ledger.ts';

/** Chunks per statement; one chunk has a few hundred kilobytes. */
const chunksPerStatement = 50;

/** Removes the archive of slices of one source. */
export async function deleteRawSlices(db: Database, orgKey: number, slices: readonly Slice[]): Promise<void> {
  const [first] = slices;
  if (first === undefined) return;
  await db
    .deleteFrom('etl.raw_slice')
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', first.endpoint)
    .where(
      'slice_key',
      'in',
      slices.map(({ key }) => key),
    )
    .execute();
}

/** Removes the archive of a slice, because it cannot be read, and the size of this archive in the ledger. */
export async function removeArchive(
  db: Database,
  orgKey: number,
  endpoint: string,
  key: string,
): Promise<void> {
  await db
    .deleteFrom('etl.raw_slice')
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', endpoint)
    .where('slice_key', '=', key)
    .execute();
  await db
    .updateTable('etl.slice')
    .set({ raw_chunks: null, raw_rows: null })
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', endpoint)
    .where('slice_key', '=', key)
    .execute();
}

/** A slice for the archive. */
export interface SliceToStore {
  readonly slice: Slice;
  readonly chunks: AsyncIterable<Chunk>;
  /** Whether the records in the chunks differ from the bytes that the platform sent. */
  readonly isRewritten: boolean;
}

/** Stores the chunks of slices that have no archive yet; returns the size of each slice's archive. */
export async function storeRawSlices(
  db: Database,
  orgKey: number,
  runId: string,
  mayHoldEmails: boolean,
  slices: readonly SliceToStore[],
): Promise<Map<Slice, ArchivedSize>> {
  const sizes = new Map<Slice, ArchivedSize>();
  let waiting: ReturnType<typeof rowOf>[] = [];
  const flush = async () => {
    if (waiting.length > 0) await db.insertInto('etl.raw_slice').values(waiting).execute();
    waiting = [];
  };
  function rowOf(
    { slice, isRewritten }: SliceToStore,
    number: number,
    { payload, rowCount, rawBytes }: Chunk,
  ) {
    return {
      org_key: orgKey,
      endpoint: slice.endpoint,
      slice_key: slice.key,
      chunk: number,
      usage_date: slice.usageDate,
      row_count: rowCount,
      payload,
      raw_bytes: rawBytes,
      run_id: runId,
      may_hold_emails: mayHoldEmails,
      is_rewritten: isRewritten,
    };
  }
  for (const toStore of slices) {
    let size = { chunks: 0, rows: 0 };
    for await (const chunk of toStore.chunks) {
      waiting.push(rowOf(toStore, size.chunks, chunk));
      size = { chunks: size.chunks + 1, rows: size.rows + chunk.rowCount };
      if (waiting.length >= chunksPerStatement) await flush();
    }
    sizes.set(toStore.slice, size);
  }
  await flush();
  return sizes;
}

/** The state of a slice's archive. */
export interface ArchiveState extends ArchivedSize {
  /** Whether a record differs from the bytes that the platform sent. */
  readonly isRewritten: boolean;
}

/** Reads the state of a slice's archive. */
export async function archivedSize(db: Database, orgKey: number, slice: Slice): Promise<ArchiveState> {
  const { chunks, rows, isRewritten } = await db
    .selectFrom('etl.raw_slice')
    .select((eb) => [eb.fn.countAll<string>().as('chunks'), eb.fn.sum<string | null>('row_count').as('rows')])
    .select(sql<boolean | null>`bool_or(is_rewritten)`.as('isRewritten'))
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', slice.endpoint)
    .where('slice_key', '=', slice.key)
    .executeTakeFirstOrThrow();
  return { chunks: Number(chunks), rows: Number(rows ?? 0), isRewritten: isRewritten === true };
}

/** The archived records of a slice, chunk by chunk. Throws `SyntaxError` or an error of zlib if a chunk is damaged. */
export async function* readRawSlice(
  db: Database,
  orgKey: number,
  slice: Slice,
): AsyncGenerator<RecordSegment[]> {
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
    yield openChunk(stored.payload);
  }
}

/**
 * A condition on an archived chunk `raw`: its day is before `first`. For a chunk without a day, the day of the slice's
 * last answer counts.
 */
function liesBefore(first: Day | 'never') {
  if (first === 'never') return sql`true`;
  const answeredAt = sql`(
    select slice.fetched_at from etl.slice as slice
    where slice.org_key = raw.org_key and slice.endpoint = raw.endpoint and slice.slice_key = raw.slice_key
  )`;
  return sql`coalesce(raw.usage_date, (coalesce(${answeredAt}, raw.fetched_at) at time zone 'UTC')::date) < ${first}::date`;
}

/** Whether `expireRawSlices` would remove anything. */
export async function hasExpiredSlices(db: Database, orgKey: number, first: Day | 'never'): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from etl.raw_slice as raw where raw.org_key = ${orgKey} and ${liesBefore(first)}
    ) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/** The number of removed chunks, and the next position; undefined at the end of the archive. */
export interface ExpiredArchive {
  readonly chunks: number;
  readonly next: RowPosition | undefined;
}

/**
 * Removes archived slices of an organization whose day is before `first` (`never`: all). Finds, from a position on, the
 * first `mostChunks` chunks of such slices, and removes all chunks of their slices. In the caller's transaction.
 */
export async function expireRawSlices(
  db: Database,
  orgKey: number,
  first: Day | 'never',
  position: RowPosition,
  mostChunks: number,
): Promise<ExpiredArchive> {
  // Rows are deleted by `ctid`. With a join, the planner might scan all rows of the organization in each call.
  const ofExpired = (table: 'raw_slice' | 'slice') => sql`
    select stored.ctid
    from expired,
      lateral (
        select t.ctid from ${sql.table(`etl.${table}`)} as t
        where t.org_key = ${orgKey} and t.endpoint = expired.endpoint and t.slice_key = expired.slice_key
        offset 0
      ) as stored`;
  await readOnlyWhatIsNamed(db);
  const { rows } = await sql<{ chunks: number; found: number; last: string | null }>`
    with found as materialized (
      select raw.ctid as place, raw.endpoint, raw.slice_key
      from etl.raw_slice as raw
      where raw.ctid > ${position}::tid and (raw.org_key = ${orgKey}) is true and ${liesBefore(first)}
      limit ${mostChunks}
    ),
    expired as materialized (
      select distinct endpoint, slice_key from found
    ),
    removed as (
      delete from etl.raw_slice where ctid = any(array(${ofExpired('raw_slice')})) returning 1
    ),
    noted as (
      update etl.slice set raw_chunks = null, raw_rows = null where ctid = any(array(${ofExpired('slice')}))
    )
    select
      (select count(*) from removed)::integer as chunks,
      count(*)::integer as found,
      max(place)::text as last
    from found
  `.execute(db);
  const { chunks = 0, found = 0, last = null } = rows[0] ?? {};
  return { chunks, next: nextPosition(last, found, mostChunks) };
}

/** The slices of an organization that the archive holds, as `ledgerKey` writes them. */
export async function archivedSlices(
  db: Database,
  orgKey: number,
): Promise<{ readonly endpoint: string; readonly key: string }[]> {
  const rows = await db
    .selectFrom('etl.raw_slice')
    .select(['endpoint', 'slice_key'])
    .distinct()
    .where('org_key', '=', orgKey)
    .execute();
  return rows.map((row) => ({ endpoint: row.endpoint, key: row.slice_key }));
}
