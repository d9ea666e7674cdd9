/** Connections that hold locks: client and server notice soon that the other one has gone. */
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

/** By default a server notices that after two hours. */
const settings = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25000',
} as const;

/**
 * Sets the server's keepalive of this connection: it ends about 25 s after the network was cut. A setting that the server's
 * system does not have stays at 0.
 */
export async function noticeLoss(client: pg.ClientBase): Promise<void> {
  const assigned = Object.entries(settings).map(
    ([name, value]) => `pg_catalog.set_config('${name}', '${value}', false)`,
  );
  await client.query(`select ${assigned.join(', ')}`);
}
