/**
 * The connection that holds the locks of the runs of a process. If it is lost, the locks are lost, too: it is made again
 * and takes all locks again, once for all runs. A run whose lock somebody else took meanwhile must end; the others go on.
 */
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import type pg from 'pg';
import { explain, LockHeldError } from '../../model/errors.ts';
import {
  connect as connectFrom,
  placeOfPool,
  type Session,
  sessionOf,
  working,
} from '../connection/connection.ts';
import { beat, noticeLoss } from '../connection/keep-alive.ts';
import { timingOf } from '../connection/pool-timing.ts';
import { longestRetry, retryOnConnectionLoss, UnreachedAgainError } from '../connection/reconnect.ts';
import { ForeignLockError } from '../locks/advisory-locks.ts';
import { shareSchema } from '../locks/schema-lock.ts';
import { refuseNewerSchema } from '../migrations/migration-status.ts';
import {
  type Holder,
  type LocksOfRun,
  lockHeld,
  lockOnce,
  lostLocks,
  type RunWithLocks,
  releaseLocks,
  takeAgain,
} from './locks-of-run.ts';

/** Options of a lock connection. */
export interface LockConnectionOptions {
  /** Longest wait for a running `migrate`, at first and after each reconnect. */
  readonly lockTimeoutMs: number;
  /** Ends all waits. */
  readonly signal: AbortSignal;
  /** Whether several runs use the connection: then one waits for the other. */
  readonly isShared?: boolean;
}

/** Holds the locks of the runs that have joined it. While a run has joined, the schema does not change. */
export class LockConnection {
  readonly #pool: pg.Pool;
  readonly #options: LockConnectionOptions;
  readonly #holders = new Set<Holder>();
  /** The connection with all locks; undefined while there is none. */
  #client: pg.PoolClient | undefined;
  #connecting: Promise<pg.PoolClient> | undefined;
  readonly #turns: PQueue;
  /** Releases a connection that no run needs any more. */
  #releasing: Promise<void> = Promise.resolve();
  #beating: NodeJS.Timeout | undefined;
  /** Ends waits when the last run leaves. */
  #leaving = new AbortController();
  /** The last error of the connection. */
  #loss: unknown;
  /** The database could not be reached again, so further runs do not try. */
  unreached: Error | undefined;

  constructor(pool: pg.Pool, options: LockConnectionOptions) {
    this.#pool = pool;
    this.#options = options;
    this.#turns = new PQueue({ concurrency: options.isShared === true ? 1 : Number.POSITIVE_INFINITY });
  }

  /**
   * Adds a run; the first one opens the connection. Throws `LockHeldError` if `migrate` runs for too long,
   * `WarehouseError` if the database cannot be reached or its schema is newer than this program.
   */
  async join(run: RunWithLocks): Promise<LocksOfRun> {
    const { signal, onWait, onReconnected, onLost } = run;
    const holder: Holder = {
      signal,
      onWait,
      onReconnected,
      onLost,
      runId: undefined,
      orgKeys: new Set(),
      lost: undefined,
    };
    this.#holders.add(holder);
    try {
      await this.#releasing;
      if (this.unreached !== undefined) throw this.unreached;
      if (this.#client === undefined) await this.#connectOnce();
    } catch (error) {
      await this.#leave(holder);
      throw error;
    }
    return {
      use: (work) => this.#use(holder, work),
      holdOrganization: (orgKey) => this.#hold(holder, orgKey),
      holdRun(runId) {
        holder.runId = runId;
      },
      close: () => this.#leave(holder),
    };
  }

  /** Connects, once for all callers that wait for it. */
  #connectOnce(): Promise<pg.PoolClient> {
    const signal = AbortSignal.any([this.#options.signal, this.#leaving.signal]);
    this.#connecting ??= retryOnConnectionLoss(this.#pool, signal, () => this.#connect(signal))
      .catch((error: unknown) => {
        if (error instanceof UnreachedAgainError) this.unreached = error;
        throw error;
      })
      .finally(() => {
        this.#connecting = undefined;
      });
    return this.#connecting;
  }

  async #connect(signal: AbortSignal): Promise<pg.PoolClient> {
    const opened = await connectFrom(this.#pool);
    opened.on('error', (error) => {
      if (this.#client === opened) this.#onError(opened, error);
    });
    try {
      await working(opened, async () => {
        const onWait = (sentence: string) => this.#first?.onWait(sentence);
        await noticeLoss(opened);
        await shareSchema(opened, { timeoutMs: this.#options.lockTimeoutMs, signal, onWait });
        await refuseNewerSchema(opened);
        await this.#takeLocksAgain(opened, signal);
      });
    } catch (error) {
      opened.release(true);
      throw error;
    }
    this.#client = opened;
    clearInterval(this.#beating);
    this.#beating = beat(opened, timingOf(this.#pool));
    return opened;
  }

  #onError(lost: pg.PoolClient, error: Error): void {
    this.#client = undefined;
    this.#loss = error;
    lost.release(true);
    this.#first?.onWait(
      `the connection to the database ${placeOfPool(this.#pool)} was lost (${explain(error)}); ` +
        `reconnecting for ${longestRetry(this.#pool)} at most`,
    );
    // `onLost` reports a failure to the runs.
    this.#reconnect().catch(() => undefined);
  }

  /** The run that hears of waits. All others wait for the same. */
  get #first(): Holder | undefined {
    return this.#holders.values().next().value;
  }

  async #reconnect(): Promise<pg.PoolClient> {
    const isFirst = this.#connecting === undefined;
    const leaving = this.#leaving.signal;
    try {
      const opened = await this.#connectOnce();
      if (isFirst) this.#first?.onReconnected();
      return opened;
    } catch (error) {
      if (!leaving.aborted) for (const holder of this.#holders) this.#lose(holder, error);
      throw error;
    }
  }

  /** The server may notice only later that the old connection is lost, so its locks may stay for some time. */
  async #takeLocksAgain(opened: pg.PoolClient, signal: AbortSignal): Promise<void> {
    const waiting = new Set(this.#holders);
    for (const waitMs of timingOf(this.#pool).freedLockWaitsMs) {
      for (const holder of waiting)
        try {
          if (holder.lost !== undefined || (await takeAgain(opened, holder))) waiting.delete(holder);
        } catch (error) {
          if (!(error instanceof ForeignLockError)) throw error;
          this.#lose(holder, error);
        }
      if (waiting.size === 0) return;
      await delay(waitMs, undefined, { signal });
    }
    for (const holder of waiting) this.#lose(holder, lockHeld());
  }

  #lose(holder: Holder, error: unknown): void {
    if (holder.lost !== undefined) return;
    holder.lost = lostLocks(this.#loss, error);
    holder.onLost(holder.lost);
  }

  #use<T>(holder: Holder, work: (session: Session) => Promise<T>): Promise<T> {
    return retryOnConnectionLoss(this.#pool, holder.signal, async () => {
      if (holder.lost !== undefined) throw holder.lost;
      const current =
        this.#client ??
        (await this.#reconnect().catch((error: unknown) => {
          throw holder.lost ?? error;
        }));
      if (holder.lost !== undefined) throw holder.lost;
      return await this.#turns.add(() => working(current, () => work(sessionOf(current))));
    });
  }

  async #hold(holder: Holder, orgKey: number): Promise<void> {
    for (const other of this.#holders) if (other !== holder && other.orgKeys.has(orgKey)) throw lockHeld();
    // Added first: if the connection is lost here, the new one takes this lock, too.
    holder.orgKeys.add(orgKey);
    try {
      await this.#use(holder, async ({ client }) => {
        if (!(await lockOnce(client, orgKey))) throw lockHeld();
      });
    } catch (error) {
      if (error instanceof LockHeldError) holder.orgKeys.delete(orgKey);
      throw error;
    }
  }

  async #leave(holder: Holder): Promise<void> {
    if (!this.#holders.delete(holder)) return;
    if (this.#holders.size === 0) {
      this.#releasing = this.#release();
      await this.#releasing;
      return;
    }
    // A new connection may just take the locks of this run again.
    await this.#connecting?.catch(() => undefined);
    const client = this.#client;
    if (client === undefined) return;
    await this.#turns
      .add(() => releaseLocks(client, holder))
      .catch((error: unknown) => {
        // They go with the connection.
        if (this.#client === client) this.#onError(client, new Error(explain(error), { cause: error }));
      });
  }

  async #release(): Promise<void> {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    clearInterval(this.#beating);
    await this.#connecting?.catch(() => undefined);
    const last = this.#client;
    this.#client = undefined;
    // The server notices the end of a connection a little late; the next run may begin before that.
    await last?.query('select pg_catalog.pg_advisory_unlock_all()').catch(() => undefined);
    last?.release(true);
  }
}
