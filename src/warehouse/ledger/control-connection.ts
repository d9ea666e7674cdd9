/**
 * The connection that holds a run's locks. When it is lost, so are the locks: it is made again and the locks taken
 * again, and when that fails the run must end.
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
  /** Runs `work` on the connection, on a new one when it is lost meanwhile. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Takes an organization's lock beside those held. Throws `LockHeldError` when another run holds it,
   * `ForeignLockError` when somebody else does.
   */
  holdOrganization(orgKey: number): Promise<void>;
  /** Says which run must stay locked when the connection is made again. */
  holdRun(runId: string): void;
  /** Gives all locks back, and then the connection: whoever comes next finds them free. */
  close(): Promise<void>;
}

function lockHeld(): LockHeldError {
  return new LockHeldError('another run works on this organization; wait until it has ended');
}

/** Callbacks of a control connection. */
export interface ControlOptions {
  readonly signal: AbortSignal;
  /** Longest wait for a `migrate` that is at work, at first and whenever the connection is made again. */
  readonly lockTimeoutMs: number;
  /** Told in a sentence what is waited for. */
  readonly onWait: (sentence: string) => void;
  readonly onReconnected: () => void;
  /** The locks are gone for good: the run must end with this error. */
  readonly onLost: (error: Error) => void;
}

/**
 * Opens the control connection of a run; as long as it lives, the schema stays as it is. Throws `LockHeldError` when
 * `migrate` is at work for too long, `WarehouseError` when the database is not to be reached, or newer than this
 * program.
 */
export async function openControlConnection(
  pool: pg.Pool,
  options: ControlOptions,
): Promise<ControlConnection> {
  /** Undefined while it is made, and while it is made again; it holds all locks. */
  let client: pg.PoolClient | undefined;
  let connecting: Promise<pg.PoolClient> | undefined;
  /** Why there was no connection any more, the last time. */
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
          `it is made again for ${longestRetry(pool)} at most`,
      );
      // Its failure reaches the run through onLost.
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

  /** The server may notice later than we do that the old connection is gone: its locks get some time to vanish. */
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

  /** Makes the connection again, once for all who need it meanwhile. */
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

  /** Nobody else would notice that a server is paused whose kernel goes on answering for it. */
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
      // Said first: a connection that is lost over this is made again with the lock, once the old one is gone.
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
      // The server would notice the end of the connection a little later than whoever begins now.
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
