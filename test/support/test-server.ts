/**
 * A Postgres server for tests: that of `TEST_DATABASE_URL`; without it a container, if a container engine runs; else
 * embedded Postgres in a temporary directory. Servers that are started here run without durability.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { explain } from '../../src/model/errors.ts';
import {
  described,
  fastSettings,
  givenServer,
  type PostgresServer,
  startServer,
} from '../../tools/postgres-server.ts';

const image = 'postgres:18';
const engineProbeTimeoutMs = 2_000;
/** Time limit for the start of a container, download of its image included. */
const containerTimeoutMs = 180_000;

/** Starts or finds the server of a test run. */
export async function startTestServer(): Promise<PostgresServer> {
  if (givenServer() === undefined && (await engineAnswers())) {
    try {
      return await withTimeout(startContainer(), containerTimeoutMs);
    } catch (error) {
      process.stderr.write(`no container from ${image} (${explain(error)}); using embedded Postgres\n`);
    }
  }
  return await startServer();
}

async function startContainer(): Promise<PostgresServer> {
  const { PostgreSqlContainer } = await import('../libraries/postgres-container.ts');
  const container = await new PostgreSqlContainer(image)
    // From Postgres 18 on, images have their data in another folder than `data` below this directory.
    .withTmpFs({ '/var/lib/postgresql': 'rw' })
    .withCommand([
      'postgres',
      ...Object.entries(fastSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ])
    .start();
  // The server is on this machine, whatever its address. Without `sslmode` the program would warn of a missing TLS setting.
  const url = `${container.getConnectionUri()}?sslmode=disable`;
  return await described(`a container from ${image}`, url, async () => {
    await container.stop();
  });
}

/** Whether a container engine listens. It is checked here, because the library takes long to find out. */
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

async function withTimeout(starting: Promise<PostgresServer>, timeoutMs: number): Promise<PostgresServer> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // If the container starts after the time limit, it is stopped, because nobody waits for it any more.
    starting.then((server) => server.stop()).catch(() => undefined);
    reject(new Error(`not up within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  try {
    return await Promise.race([starting, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
