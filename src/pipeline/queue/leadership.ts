/** One `schedule --enqueue` orders and tells at a time; the others wait until it has ended. */

import { ConfigurationError } from '../../model/errors.ts';
import { openPool } from '../../warehouse/connection/connection.ts';
import { QueueConnection } from '../../warehouse/queue/queue-connection.ts';
import { holdScheduler } from '../../warehouse/queue/worker-pools.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';

/** Whether this process orders the nights. */
export interface Leadership {
  /** Resolves as soon as no other process orders them; throws the reason of the signal. */
  await(): Promise<void>;
}

/**
 * Does `work` while this process may become the one that orders the nights. Throws `ConfigurationError` without
 * DATABASE_URL.
 */
export async function withLeadership<T>(
  { config, log, timing, abort: { signal } }: JobSurroundings,
  work: (leadership: Leadership) => Promise<T>,
): Promise<T> {
  if (config.databaseUrl === undefined)
    throw new ConfigurationError([
      'DATABASE_URL: missing; schedule --enqueue orders nights for workers, which need a database that all of them reach',
    ]);
  const pool = openPool(config.databaseUrl, 1, { limits: config, timing });
  const connection = new QueueConnection(pool, {
    hold: holdScheduler,
    warn: (sentence) => log.warn(sentence),
  });
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  aborted.catch(() => undefined);
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await work({
      async await() {
        signal.throwIfAborted();
        await Promise.race([connection.use((client) => client.query('select')), aborted]);
      },
    });
  } finally {
    signal.removeEventListener('abort', end);
    await connection.close();
    await pool.end();
  }
}
