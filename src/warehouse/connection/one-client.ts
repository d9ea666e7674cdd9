import type pg from 'pg';
import { connect, createClient, isConnectionLoss, placeOfPool, working } from './connection.ts';
import { connectionProblem, placeOf } from './connection-problem.ts';
import { prepareSession } from './session-settings.ts';

/**
 * Runs `task` on one connection: one of the pool, which gets it back, or one of its own where a URL is given. Throws as
 * `connectionProblem` says when there is none to be had.
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

/** The same on two connections of the pool that are not set up: nothing was said on them yet, and no search path is set. */
export async function withTwoBareClients<T>(
  pool: pg.Pool,
  task: (first: pg.ClientBase, second: pg.ClientBase) => Promise<T>,
): Promise<T> {
  // Made at the same time: a login mostly waits for the server.
  const connecting = [pool.connect(), pool.connect()] as const;
  const [first, second] = await Promise.all(connecting).catch(async (error: unknown) => {
    for (const each of await Promise.allSettled(connecting))
      if (each.status === 'fulfilled') each.value.release();
    throw connectionProblem(error, placeOfPool(pool));
  });
  try {
    return await lend(first, () => lend(second, () => working(first, () => task(first, second))));
  } catch (error) {
    // Whoever falls silent over the first words is as good as not there.
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

/** A connection that breaks between two queries: the next one fails, and says so. */
function failsNextQuery(): void {}
