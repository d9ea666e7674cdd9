/**
 * A table read once, although many transactions work on what is found in it: each goes on where the one before ended, by
 * the place of rows in the table. A row that moves meanwhile may be missed: the next pass finds it.
 */
import { sql } from 'kysely';
import type { Database } from './connection.ts';

/** A `ctid`: rows after it have not been looked at. */
export type RowPosition = string;

/** Before the first row of a table. */
export const firstPosition: RowPosition = '(0,0)';

/** Where to go on after a statement that found so many rows of at most `most`, and `last` last; undefined at the end. */
export function nextPosition(last: RowPosition | null, found: number, most: number): RowPosition | undefined {
  return last === null || found < most ? undefined : last;
}

/**
 * Keeps the planner for the rest of the transaction from reading tables whole, where a position or keys say which rows are
 * meant. It may believe that the whole table is quicker, and would read it anew for every batch.
 */
export async function readOnlyWhatIsNamed(db: Database): Promise<void> {
  await sql`
    select
      set_config('enable_seqscan', 'off', true),
      set_config('enable_hashjoin', 'off', true),
      set_config('enable_mergejoin', 'off', true)
  `.execute(db);
}
