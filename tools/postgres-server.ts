/** A Postgres server for tools and tests: the server of `TEST_DATABASE_URL`, else embedded Postgres. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/embedded/embedded-postgres.ts';
import { ownNamesOnly } from './search-path.ts';

export interface PostgresServer {
  /** Connection string of a role that may create databases and roles. */
  readonly adminUrl: string;
  /** Server and version, for people. */
  readonly description: string;
  /** Stops the server if it was started here. */
  stop(): Promise<void>;
}

/** Settings of a server for tests: fast instead of durable, with logical replication, and for many connections. */
export const fastSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'logical',
  max_connections: '500',
};

/** The URL in `TEST_DATABASE_URL`, if set. */
export function givenServer(): string | undefined {
  return process.env.TEST_DATABASE_URL || undefined;
}

/** Finds the server of `TEST_DATABASE_URL`, or starts one in a temporary directory with `fastSettings`. */
export async function startServer(): Promise<PostgresServer> {
  const given = givenServer();
  return given === undefined
    ? await startEmbedded()
    : await described('the server of TEST_DATABASE_URL', given, async () => undefined);
}

async function startEmbedded(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-test-'));
  // If root runs this, the server runs as another user, who must be able to enter the directory.
  await chmod(directory, 0o711);
  const server = await startEmbeddedPostgres({ directory, database: 'postgres', settings: fastSettings });
  return await described('embedded Postgres', server.url, async () => {
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });
}

/** Connects to a server and reads its version. If that fails, stops it and throws. */
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
