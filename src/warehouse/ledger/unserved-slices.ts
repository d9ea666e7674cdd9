/** Slices that a run wanted and could not ask for, because the platform does not serve their day yet. */
import { sql } from 'kysely';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { identity } from './slice-outcomes.ts';

/** Records slices that the platform does not serve yet as pending. Held slices do not change: nothing was asked. */
export async function recordUnserved(
  db: Database,
  orgKey: number,
  runId: string,
  slices: readonly Slice[],
): Promise<void> {
  if (slices.length === 0) return;
  await db
    .insertInto('etl.slice')
    .values(slices.map((slice) => ({ ...identity(orgKey, slice), status: 'pending', run_id: runId })))
    .onConflict((conflict) =>
      conflict
        .columns(['org_key', 'endpoint', 'slice_key'])
        .doUpdateSet({
          status: 'pending',
          run_id: runId,
          error: null,
          last_failed_at: null,
          // answers without rows from before the failure no longer count as evidence
          answered_empty_by: sql<string[]>`'{}'`,
        })
        .where(sql<string>`slice.status`, '=', 'failed'),
    )
    .execute();
}
