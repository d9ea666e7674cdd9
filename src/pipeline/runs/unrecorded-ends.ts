/**
 * The ends of runs that could not be recorded because the database was away. `schedule` stays up, so it records them
 * when the database is back.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../model/config.ts';
import { defaultTiming, type Timing } from '../../model/timing.ts';
import type { Limits } from '../../warehouse/connection/bounded-client.ts';
import { openPool, type Session, withSession } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners, refuseMissingSchemas } from '../../warehouse/connection/foreign-owners.ts';

/** Records the end of a run; may be repeated. */
export type RecordEnd = (session: Session) => Promise<void>;

/** The ends that a process still has to record. */
export class UnrecordedEnds {
  readonly #ends = new Set<RecordEnd>();
  readonly #timing: Timing;

  constructor(timing = defaultTiming) {
    this.#timing = timing;
  }

  get count(): number {
    return this.#ends.size;
  }

  add(end: RecordEnd): void {
    this.#ends.add(end);
  }

  /** Records all of them. Throws errors of the database; ends that were recorded before are not recorded again. */
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
    // An embedded server is up only during a run, so the next run records them.
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
      // The run has reported already that the database is away, so ignore the error.
      await withSession(pool, async (session) => {
        refuseMissingSchemas(await refuseForeignOwners(session.client));
        await this.record(session);
      }).catch(() => undefined);
      await pool.end();
    }
  }
}
