/** Slices that were wanted and could not be asked for, because the platform does not serve their day yet. */
import { sql } from 'kysely';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';

/** Records such slices as pending. What is held stays as it is; nobody answered, so nothing else is known. */
export async function recordUnserved(
  db: Database,
  orgKey: number,
  runId: string,
  slices: readonly Slice[],
): Promise<void> {
  if (slices.length === 0) return;
  await db
    .insertInto('etl.slice')
    .values(
      slices.map(({ endpoint, key, usageDate }) => ({
        org_key: orgKey,
        endpoint,
        slice_key: key,
        usage_date: usageDate,
        status: 'pending',
        run_id: runId,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['org_key', 'endpoint', 'slice_key'])
        .doUpdateSet({
          status: 'pending',
          run_id: runId,
          error: null,
          last_failed_at: null,
          // what was answered before it failed is no evidence any more
          answered_empty_by: sql<string[]>`'{}'`,
        })
        .where(sql<string>`slice.status`, '=', 'failed'),
    )
    .execute();
}
