/**
 * A Postgres server for tests: the one that `TEST_DATABASE_URL` names, else a container where an engine is
 * at hand, else embedded Postgres in a temporary directory. Durability is off in the latter two.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { explain } from '../../src/model/errors.ts';

export interface TestServer {
  /** Connection string of a role that may create databases and roles. */
  readonly adminUrl: string;
  /** Which server and version, for people. */
  readonly description: string;
  /** Takes the server away, if it was started here. */
  stop(): Promise<void>;
}

const image = 'postgres:18';
const engineProbeTimeoutMs = 2_000;
/** Includes the download of the image. */
const containerTimeoutMs = 180_000;

/** Settings that trade the survival of a power cut for speed. */
export const fastSettings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Starts or finds a server; `containers: false` skips those, where half a second matters. */
export async function startTestServer(options: { containers: boolean }): Promise<TestServer> {
  const given = process.env.TEST_DATABASE_URL;
  if (given !== undefined && given !== '')
    return await describe('the server of TEST_DATABASE_URL', given, async () => undefined);
  if (options.containers && (await engineAnswers())) {
    try {
      return await withTimeout(startContainer(), containerTimeoutMs);
    } catch (error) {
      process.stderr.write(`no container from ${image} (${explain(error)}); using embedded Postgres\n`);
    }
  }
  return await startEmbedded();
}

async function startEmbedded(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'usage-etl-test-'));
  // Root's tests run the server as another user, who must get through.
  await chmod(directory, 0o711);
  const server = await startEmbeddedPostgres({ directory, database: 'postgres', settings: fastSettings });
  return await describe('embedded Postgres', server.url, async () => {
    await server.stop();
    await rm(server.home, { recursive: true, force: true });
    await rm(directory, { recursive: true, force: true });
  });
}

async function startContainer(): Promise<TestServer> {
  const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
  const container = await new PostgreSqlContainer(image)
    // Images since 18 keep their data below this directory, not in `data`.
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withCommand([
      'postgres',
      ...Object.entries(fastSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    .start();
  // It is on this machine, whatever its address; the program warns of others that say nothing of TLS.
  const url = `${container.getConnectionUri()}?sslmode=disable`;
  return await describe(`a container from ${image}`, url, async () => {
    await container.stop();
  });
}

async function describe(what: string, adminUrl: string, stop: () => Promise<void>): Promise<TestServer> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 10_000 });
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

/** Whether something listens where container engines do. Asked first, for the library is slow to find out. */
async function engineAnswers(): Promise<boolean> {
  const host = process.env.DOCKER_HOST;
  if (host !== undefined && !host.startsWith('unix://')) {
    if (!URL.canParse(host)) return false;
    const { hostname, port } = new URL(host);
    return await accepts({ host: hostname, port: Number(port || 2375) });
  }
  const sockets = [
    host?.slice('unix://'.length),
    '/var/run/docker.sock',
    join(homedir(), '.docker/run/docker.sock'),
    join(process.env.XDG_RUNTIME_DIR ?? '/nonexistent', 'docker.sock'),
  ];
  for (const path of sockets) {
    if (path !== undefined && existsSync(path) && (await accepts({ path }))) return true;
  }
  return false;
}

function accepts(address: { path: string } | { host: string; port: number }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(engineProbeTimeoutMs, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

async function withTimeout(starting: Promise<TestServer>, timeoutMs: number): Promise<TestServer> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // Should it come up after all, nobody waits for it any more.
    starting.then((server) => server.stop()).catch(() => undefined);
    reject(new Error(`not up within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  try {
    return await Promise.race([starting, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
