/** E-mail addresses in the raw archive. */
import type { Chunk } from '../../model/record-chunk.ts';
import { removeArchive } from '../archive/raw-archive.ts';
import type { Database } from '../connection/connection.ts';

/**
 * Rewrites each chunk of an organization that may hold addresses. Where `rewrite` cannot read one, the archive of its
 * slice is removed: nobody knows what is in it. May be repeated, wherever it was interrupted. Returns the slices whose
 * archive was removed, as endpoint and key.
 */
export async function replaceEmailsInArchive(
  db: Database,
  orgKey: number,
  rewrite: (payload: Buffer) => Promise<Pick<Chunk, 'payload' | 'rawBytes'> | undefined>,
): Promise<string[]> {
  const removed: string[] = [];
  for (;;) {
    const chunk = await db
      .selectFrom('etl.raw_slice')
      .select(['endpoint', 'slice_key', 'chunk', 'payload'])
      .where('org_key', '=', orgKey)
      .where('may_hold_emails', '=', true)
      .limit(1)
      .executeTakeFirst();
    if (chunk === undefined) return removed;
    const rewritten = await rewrite(chunk.payload);
    if (rewritten === undefined) {
      await removeArchive(db, orgKey, chunk.endpoint, chunk.slice_key);
      removed.push(`${chunk.endpoint} ${chunk.slice_key}`);
      continue;
    }
    await db
      .updateTable('etl.raw_slice')
      .set({ payload: rewritten.payload, raw_bytes: rewritten.rawBytes, may_hold_emails: false })
      .where('org_key', '=', orgKey)
      .where('endpoint', '=', chunk.endpoint)
      .where('slice_key', '=', chunk.slice_key)
      .where('chunk', '=', chunk.chunk)
      .execute();
  }
}
