/** A Postgres server for tools and tests: the one that `TEST_DATABASE_URL` names, else embedded Postgres. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/embedded-postgres.ts';
import { ownNamesOnly } from './search-path.ts';

export interface PostgresServer {
  /** Connection string of a role that may create databases and roles. */
  readonly adminUrl: string;
  /** Which server and version, for people. */
  readonly description: string;
  /** Takes the server away, if it was started here. */
  stop(): Promise<void>;
}

/** Settings that trade the survival of a power cut for speed, let tests replicate, and have room for many workers. */
export const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'logical',
  max_connections: '500',
};

/** The address in `TEST_DATABASE_URL`, where there is one. */
export function givenServer(): string | undefined {
  return process.env.TEST_DATABASE_URL || undefined;
}

/** Finds the server that is given, or starts one in a temporary directory, without durability. */
export async function startServer(): Promise<PostgresServer> {
  const given = givenServer();
  return given === undefined
    ? await startEmbedded()
    : await described('the server of TEST_DATABASE_URL', given, async () => undefined);
}

async function startEmbedded(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-test-'));
  // Root's tests run the server as another user, who must get through.
  await chmod(directory, 0o711);
  const server = await startEmbeddedPostgres({ directory, database: 'postgres', settings: fastSettings });
  return await described('embedded Postgres', server.url, async () => {
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });
}

/** A server that answers, with its version. Stops one that does not, and throws. */
export async function described(
  what: string,
  adminUrl: string,
  stop: () => Promise<void>,
): Promise<PostgresServer> {
  const client = new pg.Client({
    ...ownNamesOnly,
    connectionString: adminUrl,
    connectionTimeoutMillis: 10_000,
  });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return { adminUrl, description: `${what}, Postgres ${rows[0]?.server_version}`, stop };
  } catch (cause) {
    await stop();
    throw new Error(`expected ${what} to answer`, { cause });
  } finally {
    await client.end().catch(() => undefined);
  }
}
