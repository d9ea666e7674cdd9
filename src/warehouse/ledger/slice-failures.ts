/** Records in the slice ledger that readings failed, or that answers were refused. */
import { type RawBuilder, sql } from 'kysely';
import { storableText } from '../../model/json.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { identity } from './slice-outcomes.ts';

/** A failed reading. */
export interface SliceFailure {
  readonly runId: string;
  readonly error: string;
  /** Number of rejected records; undefined: the rejected records of the last reading stay. */
  readonly rejectedCount: number | undefined;
  /** The rows of the slice that the tables hold, if the ledger may not know them. */
  readonly held?: HeldRows;
}

/** How many rows of a slice the tables hold: in the source's main table, and in each table. */
export interface HeldRows {
  readonly rowCount: number;
  readonly tableRows: Readonly<Record<string, number>>;
}

function counted({ rowCount, tableRows }: HeldRows) {
  return { row_count: rowCount, table_rows: JSON.stringify(tableRows) };
}

const notEmpty = { answered_empty_by: sql<string[]>`'{}'`, believed_by: null };

/** Records that a reading failed. Loaded rows stay, and so does their status in the ledger. */
export async function recordFailure(
  db: Database,
  orgKey: number,
  slice: Slice,
  failure: SliceFailure,
): Promise<void> {
  await recordUnread(db, orgKey, slice, failure, {});
}

/** Records that an answer was refused because it would remove too many rows. The rows stay until a person decides. */
export async function recordRefusal(
  db: Database,
  orgKey: number,
  slice: Slice,
  refusal: Required<Pick<SliceFailure, 'runId' | 'error' | 'held'>>,
): Promise<void> {
  const refusedNow = { refused_at: sql<Date>`now()` };
  await recordUnread(db, orgKey, slice, { ...refusal, rejectedCount: undefined }, refusedNow);
}

async function recordUnread(
  db: Database,
  orgKey: number,
  slice: Slice,
  { runId, error: said, rejectedCount, held }: SliceFailure,
  refusedNow: { readonly refused_at?: RawBuilder<Date> },
): Promise<void> {
  // The error may quote the platform, so it may contain characters that Postgres cannot store.
  const error = storableText(said);
  const status = held === undefined ? sql`slice.status` : sql`'loaded'`;
  const isHeld = sql`${status} in ('loaded', 'empty')`;
  const values = {
    run_id: runId,
    last_failed_at: sql<Date>`now()`,
    ...refusedNow,
    ...(rejectedCount === undefined ? {} : { rejected_count: rejectedCount }),
  };
  const asInserted =
    held === undefined
      ? { status: 'failed', error }
      : {
          status: 'loaded',
          last_error: error,
          ...counted(held),
          loaded_at: sql<Date>`now()`,
        };
  await db
    .insertInto('etl.slice')
    .values({ ...identity(orgKey, slice), ...values, ...asInserted, attempts: 1 })
    .onConflict((conflict) =>
      conflict.columns(['org_key', 'endpoint', 'slice_key']).doUpdateSet({
        ...values,
        // A slice whose tables hold rows is not empty, so the evidence for an empty slice is removed.
        ...(held === undefined ? {} : { ...counted(held), ...notEmpty }),
        status: sql<string>`case when ${isHeld} then ${status} else 'failed' end`,
        error: sql<string | null>`case when ${isHeld} then null else ${error}::text end`,
        last_error: sql<string | null>`case when ${isHeld} then ${error}::text end`,
        attempts: sql<number>`slice.attempts + 1`,
      }),
    )
    .execute();
}
