/** The locks of one run, on a connection that may hold the locks of others, too. */
import type pg from 'pg';
import { LockHeldError, SilentDatabaseError, WarehouseError } from '../../model/errors.ts';
import { type Session, sessionOf } from '../connection/connection.ts';
import { UnreachedAgainError } from '../connection/reconnect.ts';
import { ForeignLockError } from '../locks/advisory-locks.ts';
import { lockOrganization, unlockOrganization } from '../locks/organization-lock.ts';
import { lockRun, unlockRun } from '../locks/run-locks.ts';
import { reviveRun } from './run-ledger.ts';

/** A run that wants locks. */
export interface RunWithLocks {
  /** Ends the waits of this run. */
  readonly signal: AbortSignal;
  /** Called with a sentence that says what the run waits for, and who holds the lock. */
  readonly onWait: (sentence: string) => void;
  readonly onReconnected: () => void;
  /** Called when the locks of this run are finally lost: the run must end with this error. */
  readonly onLost: (error: Error) => void;
}

/** The locks of a run, as the run uses them. */
export interface LocksOfRun {
  /** Runs `work` on the lock connection; repeats it on a new one if the connection is lost. */
  use<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /**
   * Takes an organization's lock beside those held. Throws `LockHeldError` when another run holds it,
   * `ForeignLockError` when somebody else does.
   */
  holdOrganization(orgKey: number): Promise<void>;
  /** Sets the run whose lock a new connection must take again. */
  holdRun(runId: string): void;
  /** Releases the locks of this run, and the connection if no other run has locks. */
  close(): Promise<void>;
}

/** A run and its locks. */
export interface Holder extends RunWithLocks {
  runId: string | undefined;
  readonly orgKeys: Set<number>;
  /** Why its locks are finally lost. */
  lost: Error | undefined;
}

export function lockHeld(): LockHeldError {
  return new LockHeldError('another run works on this organization; wait until it has ended');
}

/** The organizations whose locks a connection takes or has. A session would get its own lock a second time. */
const locked = new WeakMap<pg.ClientBase, Map<number, Promise<boolean>>>();

/** Takes the lock of an organization once; false when another run holds it. Throws `ForeignLockError`. */
export function lockOnce(client: pg.ClientBase, orgKey: number): Promise<boolean> {
  const ofClient = locked.get(client) ?? new Map<number, Promise<boolean>>();
  locked.set(client, ofClient);
  const taking = ofClient.get(orgKey) ?? lockOrganization(client, orgKey);
  ofClient.set(orgKey, taking);
  taking.then(
    (isHeld) => isHeld || ofClient.delete(orgKey),
    () => ofClient.delete(orgKey),
  );
  return taking;
}

/** Takes the locks of a run on a new connection; false while somebody still holds one of them. Throws `ForeignLockError`. */
export async function takeAgain(
  client: pg.PoolClient,
  { runId, orgKeys }: Pick<Holder, 'runId' | 'orgKeys'>,
): Promise<boolean> {
  let held = runId === undefined || (await lockRun(client, runId));
  for (const orgKey of orgKeys) held = (await lockOnce(client, orgKey)) && held;
  if (held && runId !== undefined) await reviveRun(sessionOf(client).db, runId);
  return held;
}

/** Releases the locks of a run, one by one, because the connection may hold the locks of others. */
export async function releaseLocks(
  client: pg.PoolClient,
  { runId, orgKeys }: Pick<Holder, 'runId' | 'orgKeys'>,
): Promise<void> {
  for (const orgKey of orgKeys) {
    if (locked.get(client)?.delete(orgKey) !== true) continue;
    await unlockOrganization(client, orgKey);
  }
  if (runId !== undefined) await unlockRun(client, runId);
}

/** The error of a run whose locks are finally lost; `loss` is the error of the connection. */
export function lostLocks(loss: unknown, error: unknown): WarehouseError {
  return new WarehouseError(lossInWords(loss, error), {
    cause: error instanceof UnreachedAgainError ? error.cause : error,
  });
}

function lossInWords(loss: unknown, error: unknown): string {
  if (error instanceof LockHeldError || error instanceof ForeignLockError)
    return 'the database connection was lost, and with it the locks of this run';
  const silence = loss instanceof SilentDatabaseError ? ` (${loss.message})` : '';
  return `the database connection was lost and could not be made again${silence}; run the job again when it is back: it goes on from what was committed`;
}
