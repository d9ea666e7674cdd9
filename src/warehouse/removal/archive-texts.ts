/** Texts in the raw archive that nobody may keep any more. */
import type { Chunk } from '../../model/record-chunk.ts';
import { removeArchive } from '../archive/raw-archive.ts';
import type { Database } from '../connection/connection.ts';

/**
 * Rewrites every chunk of an organization's endpoint. Where `rewrite` cannot read one, the archive of its slice is
 * removed: nobody knows what is in it. May be repeated, wherever it was interrupted. Returns the slices whose archive
 * was removed, as endpoint and key.
 */
export async function replaceTextsInArchive(
  db: Database,
  orgKey: number,
  endpoint: string,
  rewrite: (payload: Buffer) => Promise<Pick<Chunk, 'payload' | 'rawBytes'> | undefined>,
): Promise<string[]> {
  const chunks = await db
    .selectFrom('etl.raw_slice')
    .select(['slice_key', 'chunk'])
    .where('org_key', '=', orgKey)
    .where('endpoint', '=', endpoint)
    .execute();
  const removed = new Set<string>();
  for (const { slice_key: key, chunk } of chunks) {
    const stored = await db
      .selectFrom('etl.raw_slice')
      .select('payload')
      .where('org_key', '=', orgKey)
      .where('endpoint', '=', endpoint)
      .where('slice_key', '=', key)
      .where('chunk', '=', chunk)
      .executeTakeFirst();
    if (stored === undefined) continue;
    const rewritten = await rewrite(stored.payload);
    if (rewritten === undefined) {
      await removeArchive(db, orgKey, endpoint, key);
      removed.add(`${endpoint} ${key}`);
      continue;
    }
    await db
      .updateTable('etl.raw_slice')
      .set({ payload: rewritten.payload, raw_bytes: rewritten.rawBytes })
      .where('org_key', '=', orgKey)
      .where('endpoint', '=', endpoint)
      .where('slice_key', '=', key)
      .where('chunk', '=', chunk)
      .execute();
  }
  return [...removed];
}
