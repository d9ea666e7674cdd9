/** The run ledger: one row per run of a job, closed by the run itself or, when it died, by the next one. */
import { type RawBuilder, sql } from 'kysely';
import { WarehouseError } from '../../model/errors.ts';
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

/** First half of the advisory lock that a living run holds; `runLockId` is the second half. */
export const runLockClass = 1_970_496_885;

/** The second half of a run's lock, which has 31 bits where a `run_id` has 63: so far apart no two runs live at once. */
export function runLockId(runId: RawBuilder<string>): RawBuilder<number> {
  return sql`(${runId} & 2147483647)::integer`;
}

/**
 * Opens a run and locks it on this connection for as long as the connection lives: a `running` row whose lock is
 * free belongs to a dead process. Returns the run's id.
 */
export async function openRun(
  { db }: Session,
  job: string,
  runArguments: Readonly<Record<string, unknown>>,
  appVersion: string,
  startedAt = new Date(),
): Promise<string> {
  const runId = await nextRunId(db);
  // Before anybody can see the row: to the next run, a row without its lock is that of a dead process.
  if (!(await lockRun(db, runId)))
    throw new WarehouseError(`the lock of the new run ${runId} is held by somebody else; run the job again`);
  await db
    .insertInto('etl.run')
    .values({
      run_id: runId,
      job,
      arguments: JSON.stringify(runArguments),
      status: 'running',
      app_version: appVersion,
      // By the clock that decides which day is yesterday.
      started_at: startedAt,
    })
    .execute();
  return runId;
}

async function nextRunId(db: Database): Promise<string> {
  const { rows } = await sql<{ run_id: string }>`
    select nextval(pg_get_serial_sequence('etl.run', 'run_id')) as run_id
  `.execute(db);
  const [row] = rows;
  if (row === undefined) throw new TypeError('expected the next run_id, got no row');
  return row.run_id;
}

/** Locks a run on this connection; false while another connection still holds the lock. */
export async function lockRun(db: Database, runId: string): Promise<boolean> {
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_lock(${runLockClass}::integer, ${runLockId(sql`${runId}::bigint`)}) as locked
  `.execute(db);
  return rows[0]?.locked === true;
}

/**
 * Makes a run `running` again whose connection was lost for so long that another run took it for dead. Only for who
 * holds its lock.
 */
export async function reviveRun(db: Database, runId: string): Promise<void> {
  await db
    .updateTable('etl.run')
    .set({ status: 'running', finished_at: null, error: null })
    .where('run_id', '=', runId)
    .where('status', '<>', 'running')
    .execute();
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
      finished_at: sql<Date>`greatest(started_at, clock_timestamp())`,
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
  const lockId = runLockId(sql`${runId}::bigint`);
  await sql`select pg_advisory_unlock(${runLockClass}::integer, ${lockId})`.execute(db);
}

/**
 * Closes every `running` run whose process is gone; returns their ids. A run is asked for its lock only while its row
 * is locked here and still says `running`, so that one which is just ending is left alone.
 */
export async function closeDeadRuns(db: Database): Promise<string[]> {
  const { rows } = await sql<{ run_id: string }>`
    with own as materialized (
      -- a session gets a lock that it holds already
      select objid::bigint as lock_id
      from pg_locks
      where locktype = 'advisory'
        and pid = pg_backend_pid()
        and classid = ${runLockClass}::oid
        and objsubid = 2
    ),
    running as materialized (
      select run_id
      from etl.run
      where status = 'running'
        and ${runLockId(sql`run_id`)} not in (select lock_id from own)
      order by run_id
      for update skip locked
    ),
    dead as materialized (
      select run_id
      from running
      where pg_try_advisory_xact_lock(${runLockClass}::integer, ${runLockId(sql`run_id`)})
    )
    update etl.run as r
    set
      status = 'failed',
      finished_at = greatest(started_at, clock_timestamp()),
      error = 'the process ended without closing its run; what it had loaded is in the slice ledger'
    from dead
    where r.run_id = dead.run_id
    returning r.run_id
  `.execute(db);
  return rows.map(({ run_id }) => run_id);
}
