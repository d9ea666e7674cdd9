/** Work that may be repeated when the database went away in the middle. */
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import type pg from 'pg';
import { SilentDatabaseError, WarehouseError } from '../../model/errors.ts';
import { gaveWay, isConnectionLoss, type Session, withSession, withTransaction } from './connection.ts';
import { timingOf } from './pool-timing.ts';

/** How long a lost connection is made again, in words. */
export function longestRetry(pool: pg.Pool): string {
  const longestMs = timingOf(pool).reconnectWaitsMs.reduce((sum, waitMs) => sum + waitMs, 0);
  return `${Math.round(longestMs / 1000)} s`;
}

/** The connection was lost, and the database did not come back in time. */
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
 * Runs `work` on `pool`, again when the connection was lost or the transaction had to give way to another. Only for work that may
 * have been committed without our knowing: doing it twice must end in the same state. Throws `UnreachedAgainError` when
 * the database does not come back.
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
      if (!(isConnectionLoss(error) || gaveWay(error)) || signal.aborted) throw error;
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
 * Runs `work` in one transaction, again when the connection was lost. Not when only the answer to the commit was: then
 * it returns what the work gave, so that nothing is counted twice, or as if it had been there before.
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

/** Throws `SilentDatabaseError` while the server has not noticed that the connection is gone. */
async function wasCommitted(pool: pg.Pool, transactionId: string): Promise<boolean> {
  const { rows } = await withSession(pool, ({ db }) =>
    sql<{ status: string | null }>`select pg_xact_status(${transactionId}::xid8) as status`.execute(db),
  );
  if (rows[0]?.status === 'in progress')
    throw new SilentDatabaseError('the database has not said whether a transaction was committed');
  return rows[0]?.status === 'committed';
}
