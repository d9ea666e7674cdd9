/** E-mail addresses in the raw archive. */
import type { Database } from '../connection/connection.ts';

/** Rewrites each chunk of an organization that may hold addresses. May be repeated, wherever it was interrupted. */
export async function replaceEmailsInArchive(
  db: Database,
  orgKey: number,
  rewrite: (payload: Buffer) => Promise<Buffer>,
): Promise<void> {
  for (;;) {
    const chunk = await db
      .selectFrom('etl.raw_slice')
      .select(['endpoint', 'slice_key', 'chunk', 'payload'])
      .where('org_key', '=', orgKey)
      .where('may_hold_emails', '=', true)
      .limit(1)
      .executeTakeFirst();
    if (chunk === undefined) return;
    await db
      .updateTable('etl.raw_slice')
      .set({ payload: await rewrite(chunk.payload), may_hold_emails: false })
      .where('org_key', '=', orgKey)
      .where('endpoint', '=', chunk.endpoint)
      .where('slice_key', '=', chunk.slice_key)
      .where('chunk', '=', chunk.chunk)
      .execute();
  }
}
