/**
 * The connection that holds a run's locks. If it is lost, the locks are lost, too: the run connects again and takes
 * the locks again. If that fails, the run must end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { explain, LockHeldError, SilentDatabaseError, WarehouseError } from '../../model/errors.ts';
import { BoundedClient } from '../connection/bounded-client.ts';
import {
  connect as connectFrom,
  placeOfPool,
  type Session,
  sessionOf,
  working,
} from '../connection/connection.ts';
import { timingOf } from '../connection/pool-timing.ts';
import { longestRetry, retryOnConnectionLoss, UnreachedAgainError } from '../connection/reconnect.ts';
import { ForeignLockError } from '../locks/advisory-locks.ts';
import { lockOrganization } from '../locks/organization-lock.ts';
import { lockRun } from '../locks/run-locks.ts';
import { shareSchema } from '../locks/schema-lock.ts';
import { refuseNewerSchema } from '../migrations/migration-status.ts';
import { reviveRun } from './run-ledger.ts';

/** The locks of a run, and a session for its ledger rows. */
export interface ControlConnection {
  /** Runs `work` on the connection; repeats it on a new one if the connection is lost. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Takes an organization's lock beside those held. Throws `LockHeldError` when another run holds it,
   * `ForeignLockError` when somebody else does.
   */
  holdOrganization(orgKey: number): Promise<void>;
  /** Sets the run whose lock a new connection must take again. */
  holdRun(runId: string): void;
  /** Releases all locks, and then the connection, so that the next run finds the locks free. */
  close(): Promise<void>;
}

function lockHeld(): LockHeldError {
  return new LockHeldError('another run works on this organization; wait until it has ended');
}

/** Options of a control connection. */
export interface ControlOptions {
  readonly signal: AbortSignal;
  /** Longest wait for a running `migrate`, at first and after each reconnect. */
  readonly lockTimeoutMs: number;
  /** Called with a sentence that says what the run waits for, and who holds the lock. */
  readonly onWait: (sentence: string) => void;
  readonly onReconnected: () => void;
  /** Called when the locks are finally lost: the run must end with this error. */
  readonly onLost: (error: Error) => void;
}

/**
 * Opens the control connection of a run; while it is open, the schema does not change. Throws `LockHeldError` if
 * `migrate` runs for too long, `WarehouseError` if the database cannot be reached or its schema is newer than this
 * program.
 */
export async function openControlConnection(
  pool: pg.Pool,
  options: ControlOptions,
): Promise<ControlConnection> {
  /** The connection with all locks; undefined while it is being made. */
  let client: pg.PoolClient | undefined;
  let connecting: Promise<pg.PoolClient> | undefined;
  /** Why the connection was lost last. */
  let loss: unknown;
  let runId: string | undefined;
  const orgKeys = new Set<number>();
  const { freedLockWaitsMs, betweenBeatsMs, longestSilenceMs } = timingOf(pool);
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);

  async function connect(): Promise<pg.PoolClient> {
    const opened = await connectFrom(pool);
    opened.on('error', (error) => {
      if (client !== opened) return;
      client = undefined;
      loss = error;
      opened.release(true);
      options.onWait(
        `the connection to the database ${placeOfPool(pool)} was lost (${explain(error)}); ` +
          `reconnecting for ${longestRetry(pool)} at most`,
      );
      // `onLost` reports a failure to the run.
      reconnect().catch(() => undefined);
    });
    try {
      await working(opened, async () => {
        await shareSchema(opened, { timeoutMs: options.lockTimeoutMs, signal, onWait: options.onWait });
        await refuseNewerSchema(opened);
        await takeLocksAgain(opened);
      });
    } catch (error) {
      opened.release(true);
      throw error;
    }
    client = opened;
    return opened;
  }

  /** The server may notice only later that the old connection is lost, so its locks may stay for some time. */
  async function takeLocksAgain(opened: pg.PoolClient): Promise<void> {
    for (const waitMs of freedLockWaitsMs) {
      let held = runId === undefined || (await lockRun(opened, runId));
      for (const orgKey of orgKeys) held = (await lockOrganization(opened, orgKey)) && held;
      if (held) {
        if (runId !== undefined) await reviveRun(sessionOf(opened).db, runId);
        return;
      }
      await delay(waitMs, undefined, { signal });
    }
    throw lockHeld();
  }

  /** Connects again, once for all callers that wait for it. */
  function reconnect(): Promise<pg.PoolClient> {
    connecting ??= retryOnConnectionLoss(pool, signal, connect)
      .then((opened) => {
        options.onReconnected();
        return opened;
      })
      .catch((error: unknown) => {
        const lost = new WarehouseError(lossInWords(loss, error), {
          cause: error instanceof UnreachedAgainError ? error.cause : error,
        });
        if (!closing.signal.aborted) options.onLost(lost);
        throw lost;
      })
      .finally(() => {
        connecting = undefined;
      });
    return connecting;
  }

  function use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return retryOnConnectionLoss(pool, signal, async () => {
      const current = client ?? (await reconnect());
      return await working(current, () => work(sessionOf(current)));
    });
  }

  /** Sends a query while the connection is idle: nothing else notices a paused server whose kernel still answers. */
  function beat(): void {
    if (!(client instanceof BoundedClient)) return;
    const withinMs = Math.min(longestSilenceMs, statementTimeoutMs);
    client.ping(
      withinMs,
      () => new SilentDatabaseError(`the database has not answered for ${withinMs / 1000} s`),
    );
  }

  const first = await retryOnConnectionLoss(pool, signal, connect);
  const limits = first instanceof BoundedClient ? first.bounds.limits : undefined;
  const statementTimeoutMs = limits?.statementTimeoutMs ?? Number.POSITIVE_INFINITY;
  const beating = setInterval(beat, Math.min(betweenBeatsMs, statementTimeoutMs)).unref();
  return {
    use,
    async holdOrganization(orgKey) {
      // Added first: if the connection is lost here, the new one takes this lock, too.
      orgKeys.add(orgKey);
      await use(async ({ client: current }) => {
        if (await lockOrganization(current, orgKey)) return;
        orgKeys.delete(orgKey);
        throw lockHeld();
      });
    },
    holdRun(id) {
      runId = id;
    },
    async close() {
      closing.abort();
      clearInterval(beating);
      await connecting?.catch(() => undefined);
      const last = client;
      client = undefined;
      // The server notices the end of a connection a little late; the next run may begin before that.
      await last?.query('select pg_catalog.pg_advisory_unlock_all()').catch(() => undefined);
      last?.release(true);
    },
  };
}

function lossInWords(loss: unknown, error: unknown): string {
  if (error instanceof LockHeldError || error instanceof ForeignLockError)
    return 'the database connection was lost, and with it the locks of this run';
  const silence = loss instanceof SilentDatabaseError ? ` (${loss.message})` : '';
  return `the database connection was lost and could not be made again${silence}; run the job again when it is back: it goes on from what was committed`;
}
