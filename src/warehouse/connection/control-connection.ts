/**
 * The connection that holds a run's locks. When it is lost, so are the locks: it is made again and the locks taken
 * again, and when that fails the run must end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { LockHeldError, WarehouseError } from '../../model/errors.ts';
import { lockOrganization } from '../ledger/organization.ts';
import { lockRun, reviveRun } from '../ledger/run-ledger.ts';
import { type Session, sessionOf } from './connection.ts';
import { retryOnConnectionLoss } from './reconnect.ts';

/** The locks of a run, and a session for its ledger rows. */
export interface ControlConnection {
  /** Runs `work` on the connection, on a new one when it is lost meanwhile. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** Takes the organization's lock. Throws `LockHeldError` when another run holds it. */
  holdOrganization(orgKey: number): Promise<void>;
  /** Says which run must stay locked when the connection is made again. */
  holdRun(runId: string): void;
  /** Gives the connection, and with it all locks, back. */
  close(): void;
}

const lockWaits = 10;
const lockWaitMs = 1_000;

function lockHeld(): LockHeldError {
  return new LockHeldError('another run works on this organization; wait until it has ended');
}

/** Callbacks of a control connection. */
export interface ControlOptions {
  readonly signal: AbortSignal;
  readonly onReconnected: () => void;
  /** The locks are gone for good: the run must end with this error. */
  readonly onLost: (error: Error) => void;
}

/** Opens the control connection of a run. */
export async function openControlConnection(
  pool: pg.Pool,
  options: ControlOptions,
): Promise<ControlConnection> {
  let client: pg.PoolClient | undefined;
  let reconnecting: Promise<pg.PoolClient> | undefined;
  let orgKey: number | undefined;
  let runId: string | undefined;

  async function open(): Promise<pg.PoolClient> {
    const opened = await pool.connect();
    opened.once('error', () => {
      if (client !== opened) return;
      client = undefined;
      opened.release(true);
      // Its failure reaches the run through onLost.
      reconnect().catch(() => undefined);
    });
    client = opened;
    return opened;
  }

  function reconnect(): Promise<pg.PoolClient> {
    reconnecting ??= retryOnConnectionLoss(options.signal, async () => {
      const opened = client ?? (await open());
      await takeLocksAgain(opened);
      return opened;
    })
      .then((opened) => {
        options.onReconnected();
        return opened;
      })
      .catch((error: unknown) => {
        const lost =
          error instanceof LockHeldError
            ? error
            : new WarehouseError(
                'the database connection was lost and could not be made again; run the job again when it is back',
                { cause: error },
              );
        options.onLost(lost);
        throw lost;
      })
      .finally(() => {
        reconnecting = undefined;
      });
    return reconnecting;
  }

  /** The server may notice later than we do that the old connection is gone: its locks get some time to vanish. */
  async function takeLocksAgain(opened: pg.PoolClient): Promise<void> {
    const { db } = sessionOf(opened);
    for (let wait = 0; wait < lockWaits; wait++) {
      const run = runId === undefined || (await lockRun(db, runId));
      const organization = orgKey === undefined || (await lockOrganization(db, orgKey));
      if (run && organization) {
        if (runId !== undefined) await reviveRun(db, runId);
        return;
      }
      await delay(lockWaitMs, undefined, { signal: options.signal });
    }
    throw lockHeld();
  }

  function use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return retryOnConnectionLoss(options.signal, async () => {
      // A connection that is being made again has no locks yet.
      const opened = reconnecting === undefined ? client : undefined;
      return work(sessionOf(opened ?? (await reconnect())));
    });
  }

  await retryOnConnectionLoss(options.signal, open);
  return {
    use,
    async holdOrganization(key) {
      // Said first: a connection that is lost over this is made again with the lock, once the old one is gone.
      orgKey = key;
      await use(async ({ db }) => {
        if (!(await lockOrganization(db, key))) throw lockHeld();
      });
    },
    holdRun(id) {
      runId = id;
    },
    close() {
      // The connection itself must end, or its session would keep the locks in the pool.
      client?.release(true);
      client = undefined;
    },
  };
}
