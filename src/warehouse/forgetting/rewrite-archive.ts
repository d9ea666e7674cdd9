/** Rewrites the raw archive of an organization, chunk by chunk. */
import { sql } from 'kysely';
import type pg from 'pg';
import type { Chunk } from '../../model/record-chunk.ts';
import { removeArchive } from '../archive/raw-archive.ts';
import { withSession } from '../connection/connection.ts';

/** A chunk with other bytes; as many records as before. */
export type Rewritten = Pick<Chunk, 'payload' | 'rawBytes'>;

/** What became of an archive. */
export interface RewrittenArchive {
  readonly chunks: number;
  /** Slices whose archive could not be read and was removed, as endpoint and key. */
  readonly removed: readonly string[];
}

/** How the chunks of an archive are rewritten. */
export interface ArchiveRewriting {
  readonly pool: pg.Pool;
  readonly orgKey: number;
  /** Gives undefined for what stays as it is, and throws for what cannot be read. */
  readonly rewrite: (payload: Buffer) => Promise<Rewritten | undefined>;
  /** Called before anything is overwritten. */
  readonly beforeWriting: () => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Rewrites the chunks of an organization. Where one cannot be read, the archive of its slice is removed: nobody knows
 * whom it names. Each chunk is committed by itself: it may be repeated, wherever it was interrupted.
 */
export async function rewriteArchive(rewriting: ArchiveRewriting): Promise<RewrittenArchive> {
  const { pool, orgKey, rewrite, beforeWriting, signal } = rewriting;
  const removed: string[] = [];
  let chunks = 0;
  let after: readonly [string, string, number] = ['', '', -1];
  for (;;) {
    signal.throwIfAborted();
    const found = await withSession(pool, async ({ db }) => {
      const chunk = await db
        .selectFrom('etl.raw_slice')
        .select(['endpoint', 'slice_key', 'chunk', 'payload'])
        .where('org_key', '=', orgKey)
        .where(sql<boolean>`(endpoint, slice_key, chunk) > (${after[0]}, ${after[1]}, ${after[2]}::integer)`)
        .orderBy('endpoint')
        .orderBy('slice_key')
        .orderBy('chunk')
        .limit(1)
        .executeTakeFirst();
      if (chunk === undefined) return undefined;
      const { endpoint, slice_key: key, payload } = chunk;
      let rewritten: Rewritten | undefined;
      try {
        rewritten = await rewrite(payload);
      } catch {
        await removeArchive(db, orgKey, endpoint, key);
        removed.push(`${endpoint} ${key}`);
        return chunk;
      }
      if (rewritten === undefined) return chunk;
      await beforeWriting();
      await db
        .updateTable('etl.raw_slice')
        .set({ payload: rewritten.payload, raw_bytes: rewritten.rawBytes, is_rewritten: true })
        .where('org_key', '=', orgKey)
        .where('endpoint', '=', endpoint)
        .where('slice_key', '=', key)
        .where('chunk', '=', chunk.chunk)
        .execute();
      chunks += 1;
      return chunk;
    });
    if (found === undefined) return { chunks, removed };
    after = [found.endpoint, found.slice_key, found.chunk];
  }
}
