import pg from 'pg';
import { connect, working } from './connection.ts';
import { connectionProblem } from './connection-problem.ts';

/**
 * Runs `task` on one connection: one of the pool, which gets it back, or one of its own where a URL is given. Throws as
 * `connectionProblem` says when there is none to be had.
 */
export async function withClient<T>(
  database: string | pg.Pool,
  task: (client: pg.ClientBase) => Promise<T>,
): Promise<T> {
  if (typeof database === 'string') {
    const client = new pg.Client({ connectionString: database });
    client.on('error', failsNextQuery);
    await client.connect().catch(failToConnect);
    try {
      return await task(client);
    } finally {
      await client.end();
    }
  }
  return await lend(await connect(database), (client) => working(client, () => task(client)));
}

/** The same on two connections of the pool that are not set up: nothing was said on them yet. */
export async function withTwoBareClients<T>(
  pool: pg.Pool,
  task: (first: pg.ClientBase, second: pg.ClientBase) => Promise<T>,
): Promise<T> {
  // Made at the same time: a login mostly waits for the server.
  const connecting = [pool.connect(), pool.connect()] as const;
  const [first, second] = await Promise.all(connecting).catch(async (error: unknown) => {
    for (const each of await Promise.allSettled(connecting))
      if (each.status === 'fulfilled') each.value.release();
    return failToConnect(error);
  });
  return await lend(first, () => lend(second, () => task(first, second)));
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

function failToConnect(error: unknown): never {
  throw connectionProblem(error);
}
