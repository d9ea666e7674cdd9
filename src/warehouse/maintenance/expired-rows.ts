/** Removes ledger rows that are older than their retention, a bounded number at a time. */
import { type RawBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';
import { nextPosition, type RowPosition, readOnlyWhatIsNamed } from '../connection/one-pass.ts';

/** Rows per statement: so few that a statement holds its locks for less than a second. */
export const rowsPerBatch = 1_000;

/** The times before which rows may be removed. */
export interface Retention {
  /** The time for runs, by their start, and for results of checks. */
  readonly runsFrom: Date;
  /** The time for rejected rows, and for drift, by the time when it was last seen. */
  readonly rejectedFrom: Date;
  /** First day of the raw archive; `never`: all of it may be removed. */
  readonly archiveFrom: Day | 'never';
}

/** The tables whose rows expire one by one. */
export type ExpiringRows = 'runs' | 'rejected_rows' | 'drift' | 'check_results';

/** A table, and the condition under which its row `t` may be removed. */
interface Expiry {
  readonly table: string;
  readonly isExpired: (retention: Retention) => RawBuilder<unknown>;
}

const expiries: Readonly<Record<ExpiringRows, Expiry>> = {
  rejected_rows: {
    table: 'etl.rejected_row',
    isExpired: ({ rejectedFrom }) => sql`t.rejected_at < ${rejectedFrom}`,
  },
  drift: { table: 'etl.drift', isExpired: ({ rejectedFrom }) => sql`t.last_seen_at < ${rejectedFrom}` },
  check_results: { table: 'etl.check_result', isExpired: ({ runsFrom }) => sql`t.checked_at < ${runsFrom}` },
  runs: {
    table: 'etl.run',
    // `is true` keeps the planner from an index on `started_at`: the rows must come in the order of their positions.
    isExpired: ({ runsFrom }) => sql`(t.started_at < ${runsFrom}) is true and ${isDispensable}`,
  },
};

/**
 * A condition on a run `t`: it may be removed. Three kinds of runs stay: the newest run of each job and organization,
 * because `status` shows it; a run whose answer without rows is evidence for a pending slice; the last run with each kind
 * of message, because without it the message would be sent again, or the message that all is well never sent.
 */
const isDispensable = sql`t.status <> 'running'
  and exists (
    select from etl.run as newer
    where newer.job = t.job
      and (newer.org_key = t.org_key or t.org_key is null)
      and (newer.started_at, newer.run_id) > (t.started_at, t.run_id)
  )
  and (
    t.told is null
    or exists (
      select from etl.run as newer
      where newer.told = t.told
        and newer.org_key is not distinct from t.org_key
        and newer.run_id > t.run_id
    )
  )
  -- An array is computed once; the planner might run a subquery for each run.
  and t.run_id <> all (
    array(select unnest(s.answered_empty_by) from etl.slice as s where s.status = 'pending')
  )`;

/** The tables that have expired rows of these organizations, or rows without one. On most nights no table has any. */
export async function expiredRows(
  db: Database,
  orgKeys: readonly number[],
  retention: Retention,
): Promise<readonly ExpiringRows[]> {
  const selects = Object.entries(expiries).map(
    ([rows, { table, isExpired }]) => sql`
      select ${sql.lit(rows)} as rows
      where exists (
        select from ${sql.table(table)} as t
        where (t.org_key = any(${orgKeys}::integer[]) or t.org_key is null) and ${isExpired(retention)}
      )`,
  );
  const found = await sql<{ rows: ExpiringRows }>`${sql.join(selects, sql` union all `)}`.execute(db);
  return found.rows.map(({ rows }) => rows);
}

/** The number of deleted rows, and the next position; undefined at the end of the table. */
export interface DeletedBatch {
  readonly deleted: number;
  readonly next: RowPosition | undefined;
}

/**
 * Removes, from a position on, at most `rowsPerBatch` expired rows of these organizations, or without one. Skips rows that
 * another session has locked; the next night removes them. In the caller's transaction.
 */
export async function deleteExpiredRows(
  db: Database,
  rows: ExpiringRows,
  orgKeys: readonly number[],
  retention: Retention,
  position: RowPosition,
): Promise<DeletedBatch> {
  const { table, isExpired } = expiries[rows];
  await readOnlyWhatIsNamed(db);
  const { rows: batches } = await sql<{ deleted: number; found: number; last: string | null }>`
    with found as materialized (
      select t.ctid as place
      from ${sql.table(table)} as t
      where t.ctid > ${position}::tid
        and (t.org_key = any(${orgKeys}::integer[]) or t.org_key is null)
        and ${isExpired(retention)}
      limit ${rowsPerBatch}
      for update skip locked
    ),
    deleted as (
      delete from ${sql.table(table)} where ctid = any(array(select place from found)) returning 1
    )
    select
      (select count(*) from deleted)::integer as deleted,
      count(*)::integer as found,
      max(place)::text as last
    from found
  `.execute(db);
  const { deleted = 0, found = 0, last = null } = batches[0] ?? {};
  return { deleted, next: nextPosition(last, found, rowsPerBatch) };
}
