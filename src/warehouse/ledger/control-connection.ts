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
  /** Runs `work` on the connection; if the connection is lost, runs it again on a new one. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Takes an organization's lock, and keeps the locks that it holds already. Throws `LockHeldError` when another run has
   * the lock, `ForeignLockError` when a session that is no run of this program has it.
   */
  holdOrganization(orgKey: number): Promise<void>;
  /** Names the run whose lock a new connection must take, too. */
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
  /** Longest wait for a running `migrate`, when the connection is opened first and each time it is opened again. */
  readonly lockTimeoutMs: number;
  /** Called with a sentence that says what the run waits for, and who holds the lock. */
  readonly onWait: (sentence: string) => void;
  readonly onReconnected: () => void;
  /** Called when the locks are lost and cannot be taken again: the run must end with this error. */
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
  /** The error with which the connection was lost the last time. */
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

  /** Takes the locks on a new connection. The old one may still hold them until the server notices that it is lost. */
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

  /** Connects again; all callers wait for the same attempt. */
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

  /** Sends a query on the idle connection: only this notices a server that is paused while its kernel still answers. */
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
      // Added before the lock is taken: if the connection is lost here, the new one takes this lock, too.
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
      // The server notices the end of a connection a little late. Locks that are released here are free at once.
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
