/** Asks a server regularly whether it still answers. */
import type pg from 'pg';
import { SilentDatabaseError } from '../../model/errors.ts';
import { BoundedClient } from './bounded-client.ts';
import type { timingOf } from './pool-timing.ts';

/**
 * Sends a query while the connection is idle, and gives the connection up if no answer comes: nothing else notices a paused
 * server whose kernel still answers. Returns the timer.
 */
export function beat(
  client: pg.PoolClient,
  { betweenBeatsMs, longestSilenceMs }: ReturnType<typeof timingOf>,
): NodeJS.Timeout | undefined {
  if (!(client instanceof BoundedClient)) return undefined;
  const statementTimeoutMs = client.bounds.limits?.statementTimeoutMs ?? Number.POSITIVE_INFINITY;
  const withinMs = Math.min(longestSilenceMs, statementTimeoutMs);
  const silent = () => new SilentDatabaseError(`the database has not answered for ${withinMs / 1000} s`);
  return setInterval(
    () => client.ping(withinMs, silent),
    Math.min(betweenBeatsMs, statementTimeoutMs),
  ).unref();
}
