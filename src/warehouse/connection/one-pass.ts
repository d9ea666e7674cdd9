/**
 * Reads a table once, over many transactions: each goes on where the one before ended, by the position of the rows in
 * the table. It may miss a row that moves meanwhile; the next pass finds that row.
 */
import { sql } from 'kysely';
import type { Database } from './connection.ts';

/** A `ctid`: the rows after it are not examined yet. */
export type RowPosition = string;

/** Before the first row of a table. */
export const firstPosition: RowPosition = '(0,0)';

/**
 * The position for the next statement, after one that found `found` of at most `most` rows, the last at `last`;
 * undefined at the end.
 */
export function nextPosition(last: RowPosition | null, found: number, most: number): RowPosition | undefined {
  return last === null || found < most ? undefined : last;
}

/**
 * Keeps the planner from sequential scans for the rest of the transaction. It may expect a full scan to be faster
 * than a position or keys, and would scan the table again for every batch.
 */
export async function readOnlyWhatIsNamed(db: Database): Promise<void> {
  await sql`
    select
      set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true)
  `.execute(db);
}
