/** Reads and rewrites the raw archive, chunk by chunk. */
import type pg from 'pg';
import { rewriteChunk } from '../../model/record-chunk.ts';
import { removeArchive } from '../archive/raw-archive.ts';
import { withSession } from '../connection/connection.ts';

/** Which chunks of an organization are rewritten, and how they are marked. */
export interface ArchiveSelection {
  /** The chunks that are rewritten; absent: all chunks. */
  readonly only?: { readonly endpoint?: string; readonly may_hold_emails?: true };
  /** Columns to set in each chunk that changes. */
  readonly ifChanged?: { readonly is_rewritten: true };
  /** Columns to set in each chunk that was read. */
  readonly afterwards?: { readonly may_hold_emails: false };
}

/** What was changed in an archive. */
export interface RewrittenArchive {
  /** Number of chunks that changed. */
  readonly chunks: number;
  /** Slices whose archive could not be read and was removed, as endpoint and key. */
  readonly removed: readonly string[];
}

/** A chunk of the archive. */
export interface StoredChunk {
  readonly org_key: number;
  readonly endpoint: string;
  readonly slice_key: string;
  readonly chunk: number;
  readonly payload: Buffer;
}

/** Most compressed chunks in memory at a time; with the default `CHUNK_BYTES` each has a few hundred kilobytes. */
const chunksAtOnce = 8;

/** The chunks of one organization, or of all. While the caller works on a chunk, no connection of `pool` is taken. */
export async function* storedChunks(
  pool: pg.Pool,
  signal: AbortSignal,
  only: ArchiveSelection['only'] & { readonly org_key?: number } = {},
): AsyncGenerator<StoredChunk> {
  for (let after: readonly [number, string, string, number] = [-1, '', '', -1]; ; ) {
    const { rows } = await withSession(pool, ({ client }) =>
      client.query<StoredChunk>(
        `select org_key, endpoint, slice_key, chunk, payload
        from etl.raw_slice
        where (org_key, endpoint, slice_key, chunk) > ($1::integer, $2, $3, $4::integer)
          and ($5::integer is null or org_key = $5)
          and ($6::text is null or endpoint = $6)
          and ($7::boolean is null or may_hold_emails = $7)
        order by org_key, endpoint, slice_key, chunk
        limit ${chunksAtOnce}`,
        [...after, only.org_key, only.endpoint, only.may_hold_emails],
      ),
    );
    for (const row of rows) {
      signal.throwIfAborted();
      after = [row.org_key, row.endpoint, row.slice_key, row.chunk];
      yield row;
    }
    if (rows.length === 0) return;
  }
}

/**
 * Rewrites the selected chunks of an organization. If a chunk cannot be read, nobody knows what it holds, so the archive
 * of its slice is removed. Each chunk is committed by itself, so that an interrupted call can simply be repeated.
 */
export async function rewriteArchive(
  pool: pg.Pool,
  orgKey: number,
  { only, ifChanged, afterwards }: ArchiveSelection,
  rewrite: (json: Buffer) => Buffer,
  beforeWriting: () => Promise<void>,
  signal: AbortSignal,
): Promise<RewrittenArchive> {
  const removed = new Set<string>();
  let chunks = 0;
  for await (const stored of storedChunks(pool, signal, { ...only, org_key: orgKey })) {
    const { endpoint, slice_key, chunk, payload } = stored;
    const slice = `${endpoint} ${slice_key}`;
    if (removed.has(slice)) continue;
    const rewritten = await rewriteChunk(payload, rewrite).catch(() => 'unreadable' as const);
    await withSession(pool, async ({ db }) => {
      if (rewritten === 'unreadable') {
        await removeArchive(db, orgKey, endpoint, slice_key);
        removed.add(slice);
        return;
      }
      const changed = rewritten && {
        payload: rewritten.payload,
        raw_bytes: rewritten.rawBytes,
        ...ifChanged,
      };
      const changes = { ...afterwards, ...changed };
      if (Object.keys(changes).length === 0) return;
      await beforeWriting();
      await db
        .updateTable('etl.raw_slice')
        .set(changes)
        .where('org_key', '=', orgKey)
        .where('endpoint', '=', endpoint)
        .where('slice_key', '=', slice_key)
        .where('chunk', '=', chunk)
        .execute();
      if (rewritten !== undefined) chunks += 1;
    });
  }
  return { chunks, removed: [...removed] };
}
