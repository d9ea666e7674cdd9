/** The run ledger: one row per run of a job. The run closes its row at its end; the next run closes that of a dead run. */
import { sql } from 'kysely';
import { storableText } from '../../model/json.ts';
import type { RunStatus } from '../../model/run.ts';
import type { Database, Session } from '../connection/connection.ts';
import { isAliveInSql, lockRun, runLockInSql } from '../locks/run-locks.ts';

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

/**
 * Opens a run, and takes its lock for as long as this connection lives: a `running` row whose lock is free belongs to a
 * dead process. Returns the run's id. Throws `ForeignLockError` when a session of another program holds the lock.
 */
export async function openRun(
  { db, client }: Session,
  job: string,
  runArguments: Readonly<Record<string, unknown>>,
  appVersion: string,
  startedAt = new Date(),
): Promise<string> {
  const { run_id, is_locked } = await db
    .with('opened', (opening) =>
      opening
        .insertInto('etl.run')
        .values({
          job,
          arguments: JSON.stringify(runArguments),
          status: 'running',
          app_version: appVersion,
          // Not the time of the database: the run decides by `startedAt` which day is yesterday.
          started_at: startedAt,
        })
        .returning('run_id'),
    )
    .selectFrom('opened')
    // Take the lock before others can see the row: without its lock the next run would close it as dead.
    .select([
      'run_id',
      sql<boolean>`pg_catalog.pg_try_advisory_lock(${sql.raw(runLockInSql('run_id'))})`.as('is_locked'),
    ])
    .executeTakeFirstOrThrow();
  if (!is_locked) await lockRun(client, run_id);
  return run_id;
}

/**
 * Makes a run `running` again if another run has closed it as dead, because its connection was lost for too long. The
 * caller must hold the run's lock.
 */
export async function reviveRun(db: Database, runId: string): Promise<void> {
  await db
    .updateTable('etl.run')
    .set({ status: 'running', finished_at: null, error: null })
    .where('run_id', '=', runId)
    .where('status', '<>', 'running')
    .execute();
}

/** Stores the organization of a run. */
export async function assignRun(db: Database, runId: string, orgKey: number): Promise<void> {
  await db.updateTable('etl.run').set({ org_key: orgKey }).where('run_id', '=', runId).execute();
}

/** Closes a run with its figures. Its lock is released later, by the connection that holds it. */
export async function closeRun(
  { db }: Pick<Session, 'db'>,
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
}

/**
 * Closes every `running` run whose process is gone; returns their ids. It looks at a run's lock only after it has locked
 * the run's row and the row still says `running`, so that it does not close a run that is just ending.
 */
export async function closeDeadRuns(db: Database): Promise<string[]> {
  // Reading the locks is slow, so it is done only if a run may have died.
  const running = await db
    .selectFrom('etl.run')
    .select('run_id')
    .where('status', '=', 'running')
    .limit(1)
    .executeTakeFirst();
  if (running === undefined) return [];
  const { rows } = await sql<{ run_id: string }>`
    with running as materialized (
      select *
      from etl.run
      where status = 'running'
      order by run_id
      for update skip locked
    ),
    dead as materialized (
      select r.run_id
      from running as r
      where not ${sql.raw(isAliveInSql)}
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
