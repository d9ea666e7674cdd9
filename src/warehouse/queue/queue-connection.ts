/**
 * The connection of a process that stays up to the queue: it holds an advisory lock, and all statements go through it. If it
 * is lost, it is made again and takes the lock again, for as long as that takes; the statements wait for it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import PQueue from 'p-queue';
import type pg from 'pg';
import { ConfigurationError, explain } from '../../model/errors.ts';
import { connect, placeOfPool, working } from '../connection/connection.ts';
import { isConnectionLoss } from '../connection/database-error.ts';
import { beat, noticeLoss } from '../connection/keep-alive.ts';
import { timingOf } from '../connection/pool-timing.ts';

/** Options of a queue connection. */
export interface QueueConnectionOptions {
  /** Takes the lock on a new connection; false while another session of ours still holds it. */
  readonly hold: (client: pg.ClientBase) => Promise<boolean>;
  /** Gets a sentence when the connection was lost, and when somebody else holds the lock. */
  readonly warn: (sentence: string) => void;
}

/** Longest wait before the next try to connect. */
const longestWaitMs = 4_000;

/** A connection that holds a lock until it is closed. */
export class QueueConnection {
  readonly #pool: pg.Pool;
  readonly #options: QueueConnectionOptions;
  /** Statements go one after the other. */
  readonly #turns = new PQueue({ concurrency: 1 });
  readonly #closing = new AbortController();
  #client: pg.PoolClient | undefined;
  #connecting: Promise<pg.PoolClient> | undefined;
  #beating: NodeJS.Timeout | undefined;
  #lastWarning: string | undefined;

  /** `pool` is for this connection alone. */
  constructor(pool: pg.Pool, options: QueueConnectionOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /** Whether it is connected and holds the lock. */
  get isHeld(): boolean {
    return this.#client !== undefined;
  }

  /**
   * Runs one statement, after those before it; waits while the database is away, and repeats `work` if the connection was lost meanwhile. Throws
   * other errors of `work`, `ConfigurationError` if the database refuses us, and an error after `close`.
   */
  use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return this.#turns.add(() => this.#use(work));
  }

  async #use<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    for (;;) {
      const client = this.#client ?? (await this.#connectOnce());
      try {
        return await working(client, () => work(client));
      } catch (error) {
        if (!isConnectionLoss(error)) throw error;
        this.#lose(client, error);
        this.#closing.signal.throwIfAborted();
      }
    }
  }

  /** Gives the lock back and closes the connection. Statements that wait for it fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#beating);
    await this.#connecting?.catch(() => undefined);
    const client = this.#client;
    this.#client = undefined;
    await client?.query('select pg_catalog.pg_advisory_unlock_all()').catch(() => undefined);
    client?.release(true);
  }

  #connectOnce(): Promise<pg.PoolClient> {
    this.#connecting ??= this.#keepConnecting().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #keepConnecting(): Promise<pg.PoolClient> {
    const { signal } = this.#closing;
    const [firstWaitMs = longestWaitMs] = timingOf(this.#pool).reconnectWaitsMs;
    for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
      signal.throwIfAborted();
      try {
        const client = await this.#connect();
        if (client !== undefined) return client;
      } catch (error) {
        if (error instanceof ConfigurationError) throw error;
        if (!isConnectionLoss(error)) this.#warn(explain(error));
      }
      await delay(waitMs, undefined, { signal });
    }
  }

  /** Undefined while the lock is not free. */
  async #connect(): Promise<pg.PoolClient | undefined> {
    const client = await connect(this.#pool);
    client.on('error', (error) => this.#lose(client, error));
    try {
      const isHeld = await working(client, async () => {
        await noticeLoss(client);
        return await this.#options.hold(client);
      });
      if (isHeld) {
        this.#client = client;
        clearInterval(this.#beating);
        this.#beating = beat(client, timingOf(this.#pool));
        return client;
      }
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release(true);
    return undefined;
  }

  #lose(client: pg.PoolClient, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearInterval(this.#beating);
    client.release(true);
    if (this.#closing.signal.aborted) return;
    this.#warn(
      `the connection to the queue in the database ${placeOfPool(this.#pool)} was lost (${explain(error)}); reconnecting`,
    );
    // A process that has nothing to ask must hold its lock, too. Whoever asks next gets the error.
    this.#connectOnce().catch(() => undefined);
  }

  /** A problem that lasts is told once. */
  #warn(sentence: string): void {
    if (sentence !== this.#lastWarning) this.#options.warn(sentence);
    this.#lastWarning = sentence;
  }
}
