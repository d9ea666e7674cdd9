/** Repeats work after the connection to the database was lost. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { SilentDatabaseError, WarehouseError } from '../../model/errors.ts';
import { type Session, withSession, withTransaction } from './connection.ts';
import { isConnectionLoss, isTransactionConflict } from './database-error.ts';
import { timingOf } from './pool-timing.ts';

/** How long reconnecting is tried, as text. */
export function longestRetry(pool: pg.Pool): string {
  const longestMs = timingOf(pool).reconnectWaitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
  return `${Math.round(longestMs / 1000)} s`;
}

/** The connection was lost and could not be made again in time. */
export class UnreachedAgainError extends WarehouseError {
  constructor(pool: pg.Pool, cause: unknown) {
    super(
      `the database could not be reached again within ${longestRetry(pool)}; what was committed stays, and the next ` +
        'run goes on from there',
      { cause },
    );
  }
}

/**
 * Runs `work`, and repeats it if the connection was lost or the transaction conflicted with another one. Use it only
 * for work that may run twice: a lost connection does not tell whether it was committed. Throws `UnreachedAgainError`
 * if the database does not come back.
 */
export async function retryOnConnectionLoss<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  for (const waitMs of timingOf(pool).reconnectWaitsMs) {
    try {
      return await work();
    } catch (error) {
      if (!(isConnectionLoss(error) || isTransactionConflict(error)) || signal.aborted) throw error;
      await delay(waitMs, undefined, { signal });
    }
  }
  try {
    return await work();
  } catch (error) {
    throw isConnectionLoss(error) && !signal.aborted ? new UnreachedAgainError(pool, error) : error;
  }
}

/**
 * Runs `work` in one transaction, and repeats it if the connection was lost. If only the answer to the commit was
 * lost, it returns the first result instead: repeated work would count its own rows as unchanged.
 */
export async function transactOnce<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let done: { readonly transactionId: string; readonly result: T } | undefined;
  return await retryOnConnectionLoss(pool, signal, async () => {
    if (done !== undefined && (await wasCommitted(pool, done.transactionId))) return done.result;
    done = undefined;
    return await withTransaction(pool, async (session) => {
      const result = await work(session);
      done = { transactionId: await currentTransaction(session), result };
      return result;
    });
  });
}

async function currentTransaction({ db }: Session): Promise<string> {
  const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(db);
  return rows[0]?.id ?? '0';
}

/** Throws `SilentDatabaseError` while the server has not noticed that the connection is lost. */
async function wasCommitted(pool: pg.Pool, transactionId: string): Promise<boolean> {
  const { rows } = await withSession(pool, ({ db }) =>
    sql<{ status: string | null }>`select pg_xact_status(${transactionId}::xid8) as status`.execute(db),
  );
  if (rows[0]?.status === 'in progress')
    throw new SilentDatabaseError('the database has not said whether a transaction was committed');
  return rows[0]?.status === 'committed';
}
