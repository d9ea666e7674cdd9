import type pg from 'pg';
import { connect, createClient, placeOfPool, working } from './connection.ts';
import { connectionProblem, placeOf } from './connection-problem.ts';
import { isConnectionLoss } from './database-error.ts';
import { prepareSession } from './session-settings.ts';

/**
 * Runs `task` on one connection: of the pool, or a new one if a URL is given. Throws what `connectionProblem` returns
 * if it cannot connect.
 */
export async function withClient<T>(
  database: string | pg.Pool,
  task: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  if (typeof database === 'string') {
    const client = createClient(database);
    await client.connect().catch((error: unknown) => {
      throw connectionProblem(error, placeOf(client));
    });
    try {
      await prepareSession(client);
      return await working(client, () => task(client));
    } finally {
      await client.end();
    }
  }
  return await lend(await connect(database), (client) => working(client, () => task(client)));
}

/**
 * The same on two connections of the pool without `prepareSession`: nothing was sent on them, and no search path is
 * set.
 */
export async function withTwoBareClients<T>(
  pool: pg.Pool,
  task: (first: pg.ClientBase, second: pg.ClientBase) => Promise<T>,
): Promise<T> {
  // At the same time, because a login mostly waits for the server.
  const connecting = [pool.connect(), pool.connect()] as const;
  const [first, second] = await Promise.all(connecting).catch(async (error: unknown) => {
    for (const each of await Promise.allSettled(connecting))
      if (each.status === 'fulfilled') each.value.release();
    throw connectionProblem(error, placeOfPool(pool));
  });
  try {
    return await lend(first, () => lend(second, () => working(first, () => task(first, second))));
  } catch (error) {
    // A server that does not answer the first statement counts as unreachable.
    throw isConnectionLoss(error) ? connectionProblem(error, placeOfPool(pool)) : error;
  }
}

async function lend<T>(client: pg.PoolClient, task: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  client.on('error', failsNextQuery);
  try {
    return await task(client);
  } finally {
    client.off('error', failsNextQuery);
    client.release();
  }
}

/** Listener for a connection that breaks between two queries: the next query fails with the error. */
function failsNextQuery(): void {}
