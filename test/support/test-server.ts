/**
 * A Postgres server for tests: the one in `TEST_DATABASE_URL`, or a container if there is an engine, or embedded Postgres in
 * a temporary directory. The latter two run without durability.
 */
import { execFile } from 'node:child_process';
import { explain } from '../../src/model/errors.ts';
import { givenServer, type PostgresServer, startServer } from '../../tools/postgres-server.ts';
import { image, startContainer } from './server-container.ts';

const engineProbeTimeoutMs = 10_000;
/** Includes the download of the image. */
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

/** Whether there is a container engine, and a client that reaches it. */
function engineAnswers(): Promise<boolean> {
  return new Promise((resolve) => {
    const command = ['version', '--format={{.Server.Version}}'];
    execFile('docker', command, { timeout: engineProbeTimeoutMs }, (error) => resolve(error === null));
  });
}

async function withTimeout(starting: Promise<PostgresServer>, timeoutMs: number): Promise<PostgresServer> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    // If the container starts after all, nobody waits for it any more.
    starting.then((server) => server.stop()).catch(() => undefined);
    reject(new Error(`not up within ${timeoutMs / 1000} s`));
  }, timeoutMs);
  try {
    return await Promise.race([starting, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
