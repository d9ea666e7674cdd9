/** Lets the server notice soon that a client has gone whose network was cut: until then its locks stay. */
import type pg from 'pg';

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
