/** The run ledger: one row per run of a job, closed by the run itself or, when it died, by the next one. */
import { sql } from 'kysely';
import { storableText } from '../../model/json.ts';
import type { RunStatus } from '../../model/run.ts';
import type { Database, Session } from '../connection/connection.ts';

/** Figures of a run. */
export interface RunFigures {
  readonly requests: number;
  readonly retries: number;
  readonly rowsRead: number;
  readonly rowsInserted: number;
  readonly rowsUpdated: number;
  readonly rowsDeleted: number;
  readonly rowsRejected: number;
}

/** First half of the advisory lock that a living run holds; the second half is its `run_id`. */
const runLockClass = 1_970_496_885;

/**
 * Opens a run and locks it on this connection for as long as the connection lives: a `running` row whose lock is
 * free belongs to a dead process. Returns the run's id.
 */
export async function openRun(
  { db }: Session,
  job: string,
  runArguments: Readonly<Record<string, unknown>>,
  appVersion: string,
): Promise<string> {
  const { run_id } = await db
    .insertInto('etl.run')
    .values({ job, arguments: JSON.stringify(runArguments), status: 'running', app_version: appVersion })
    .returning('run_id')
    .executeTakeFirstOrThrow();
  await lockRun(db, run_id);
  return run_id;
}

/** Locks a run on this connection; false while another connection still holds the lock. */
export async function lockRun(db: Database, runId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(${runLockClass}::integer, ${runId}::integer) as locked
  `.execute(db);
  return rows[0]?.locked === true;
}

/** Says whose run it is, once the organization is known. */
export async function assignRun(db: Database, runId: string, orgKey: number): Promise<void> {
  await db.updateTable('etl.run').set({ org_key: orgKey }).where('run_id', '=', runId).execute();
}

/** Closes a run with its figures. */
export async function closeRun(
  db: Database,
  runId: string,
  status: RunStatus,
  figures: RunFigures,
  error: string | null,
): Promise<void> {
  await db
    .updateTable('etl.run')
    .set({
      status,
      finished_at: sql<Date>`clock_timestamp()`,
      requests: figures.requests,
      retries: figures.retries,
      rows_read: figures.rowsRead,
      rows_inserted: figures.rowsInserted,
      rows_updated: figures.rowsUpdated,
      rows_deleted: figures.rowsDeleted,
      rows_rejected: figures.rowsRejected,
      error: error === null ? null : storableText(error),
    })
    .where('run_id', '=', runId)
    .execute();
  await sql`select pg_advisory_unlock(${runLockClass}::integer, ${runId}::integer)`.execute(db);
}

/** Closes every `running` run whose process is gone; returns their ids. */
export async function closeDeadRuns(db: Database): Promise<string[]> {
  const { rows } = await sql<{ run_id: string }>`
    with dead as (
      select run_id, pg_try_advisory_lock(${runLockClass}::integer, run_id::integer) as is_dead
      from etl.run
      where status = 'running'
    ),
    closed as (
      update etl.run as r
      set
        status = 'failed',
        finished_at = clock_timestamp(),
        error = 'the process ended without closing its run; what it had loaded is in the slice ledger'
      from dead
      where r.run_id = dead.run_id and dead.is_dead and r.status = 'running'
      returning r.run_id
    )
    select run_id, pg_advisory_unlock(${runLockClass}::integer, run_id::integer) from closed
  `.execute(db);
  return rows.map(({ run_id }) => run_id);
}
