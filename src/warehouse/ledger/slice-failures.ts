/** Writes to the slice ledger that readings failed, or that their answers were refused. */
import { type RawBuilder, sql } from 'kysely';
import { storableText } from '../../model/json.ts';
import type { Slice } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { identity } from './slice-outcomes.ts';

/** Why a reading brought nothing. */
export interface SliceFailure {
  readonly runId: string;
  readonly error: string;
  /** Undefined when what was rejected before stays. */
  readonly rejectedCount: number | undefined;
  /** What the tables hold of the slice, where the ledger may not know it; its first table is the main one. */
  readonly held?: HeldRows;
}

/** Rows of a slice, by table and of the main one. */
export interface HeldRows {
  readonly rowCount: number;
  readonly tableRows: Readonly<Record<string, number>>;
}

function counted({ rowCount, tableRows }: HeldRows) {
  return { row_count: rowCount, table_rows: JSON.stringify(tableRows) };
}

const notEmpty = { answered_empty_by: sql<string[]>`'{}'`, believed_by: null };

/** Records that a reading failed. What was loaded before stays, and so does what the ledger says of it. */
export async function recordFailure(
  db: Database,
  orgKey: number,
  slice: Slice,
  failure: SliceFailure,
): Promise<void> {
  await recordUnread(db, orgKey, slice, failure, {});
}

/** Records that an answer was refused, because of what is held: that stays, and whether it should is for people to decide. */
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
  // The platform's own words may be part of it, and they hold anything.
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
        // What holds rows is not empty, whatever was answered before.
        ...(held === undefined ? {} : { ...counted(held), ...notEmpty }),
        status: sql<string>`case when ${isHeld} then ${status} else 'failed' end`,
        error: sql<string | null>`case when ${isHeld} then null else ${error}::text end`,
        last_error: sql<string | null>`case when ${isHeld} then ${error}::text end`,
        attempts: sql<number>`slice.attempts + 1`,
      }),
    )
    .execute();
}
