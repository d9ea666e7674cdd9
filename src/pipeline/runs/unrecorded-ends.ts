/** Ends of runs that could not be recorded, because the database was gone. Whoever lives on records them when it is back. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../model/config.ts';
import { defaultTiming, type Timing } from '../../model/timing.ts';
import type { Limits } from '../../warehouse/connection/bounded-client.ts';
import { openPool, type Session, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';

/** Records the end of a run; may be repeated. */
export type RecordEnd = (session: Session) => Promise<void>;

/** The ends that a process has still to record. */
export class UnrecordedEnds {
  readonly #ends = new Set<RecordEnd>();
  readonly #timing: Timing;

  constructor(timing = defaultTiming) {
    this.#timing = timing;
  }

  /** How many there are. */
  get count(): number {
    return this.#ends.size;
  }

  add(end: RecordEnd): void {
    this.#ends.add(end);
  }

  /** Records all of them. Throws what the database says when it does not work; what is recorded by then is done. */
  async record(session: Session): Promise<void> {
    for (const end of this.#ends) {
      await end(session);
      this.#ends.delete(end);
    }
  }

  /** Records all of them as soon as the database answers, unless it is stopped before. */
  recordWhenBack({ databaseUrl, ...limits }: Pick<Config, 'databaseUrl'> & Limits): {
    stop(): Promise<void>;
  } {
    const abort = new AbortController();
    // An embedded server is up during a run only: the next one records them.
    const recording =
      databaseUrl === undefined ? undefined : this.#keepTrying(databaseUrl, limits, abort.signal);
    return {
      async stop() {
        abort.abort();
        await recording;
      },
    };
  }

  async #keepTrying(databaseUrl: string, limits: Limits, signal: AbortSignal): Promise<void> {
    while (this.count > 0 && !signal.aborted) {
      await delay(this.#timing.betweenRecordsMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const pool = openPool(databaseUrl, 1, { limits, signal });
      // That it is gone has been told.
      await withSession(pool, async (session) => {
        refuseMissingSchemas(await refuseForeignOwners(session.client));
        await this.record(session);
      }).catch(() => undefined);
      await pool.end();
    }
  }
}
