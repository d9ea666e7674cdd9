/** Embedded Postgres under test: a directory for each test, other processes that use it, and a crash. */
import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/embedded/embedded-postgres.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';

/** The checkout under test. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** A script that uses the embedded Postgres of a directory until its standard input ends. */
export const holderScript = join(repository, 'test/support/hold-embedded-postgres.ts');

/** Another process that uses the server. */
export interface Holder {
  readonly url: string;
  readonly startedHere: boolean;
  /** Lets the process end normally. */
  end(): Promise<void>;
}

/** What the tests of one file share. Its properties are those of the test that is running. */
export interface EmbeddedTests {
  /** A temporary directory, removed after the test. */
  readonly parent: string;
  /** The directory for the cluster, within `parent`; not created yet. */
  readonly directory: string;
  /** Starts the server in `directory`; it is stopped after the test. */
  start(options?: Omit<EmbeddedPostgresOptions, 'directory'>): Promise<EmbeddedPostgres>;
  /** Lets another process start or use the server, and `stop` or `abandon` it at the end. */
  startHolder(atEnd?: 'stop' | 'abandon'): Promise<Holder>;
  /**
   * Puts a cluster that has run before into `directory`. All tests of the file share it, because creating one takes a
   * second: no test may leave it broken.
   */
  takePreparedCluster(): Promise<void>;
}

/** Sets up the tests of a file. */
export function setUpEmbeddedTests(): EmbeddedTests {
  let prepared = '';
  let parent = '';
  let directory = '';
  let started: EmbeddedPostgres[] = [];
  let isPreparedTaken = false;

  beforeAll(async () => {
    prepared = await makeTemporaryDirectory();
    await (await startEmbeddedPostgres({ directory: join(prepared, '.data') })).stop();
  });

  afterAll(async () => {
    await rm(prepared, { recursive: true });
  });

  beforeEach(async () => {
    parent = await makeTemporaryDirectory();
    directory = join(parent, '.data');
    started = [];
    isPreparedTaken = false;
  });

  afterEach(async () => {
    for (const server of started) await server.stop();
    if (isPreparedTaken) await rename(directory, join(prepared, '.data'));
    for (const { home } of started) await rm(home, { recursive: true, force: true });
    await rm(parent, { recursive: true, force: true });
  });

  return {
    get parent() {
      return parent;
    },
    get directory() {
      return directory;
    },
    async start(options = {}) {
      const server = await startEmbeddedPostgres({ directory, settings: { fsync: 'off' }, ...options });
      started.push(server);
      return server;
    },
    startHolder: (atEnd = 'stop') => startHolder(directory, atEnd),
    async takePreparedCluster() {
      await rename(join(prepared, '.data'), directory);
      isPreparedTaken = true;
    },
  };
}

/** Starts the server of a directory in another process, as `account`, and returns why it failed. */
export async function failureInOtherProcess(
  modulePath: string,
  directory: string,
  account: { uid: number; gid: number } | undefined,
): Promise<string> {
  const script = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(modulePath)});
    await startEmbeddedPostgres({ directory: ${JSON.stringify(directory)} })
      .catch((error) => console.log(error.message));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    account ?? {},
  );
  return stdout;
}

/** Writes a random value into the database, so that a test can see later whether the data is still there. */
export async function leaveMark(url: string): Promise<{ mark: string }> {
  const mark = randomUUID();
  await query(
    url,
    `drop table if exists public.marks; create table public.marks as select '${mark}' as mark`,
  );
  return { mark };
}

/** Kills the server, and waits until it does not answer any more. */
export async function killServer(server: EmbeddedPostgres): Promise<void> {
  const [pid] = (await readFile(join(server.home, 'server/data/postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await expect.poll(() => query(server.url, 'select 1').catch(String)).toContain('ECONNREFUSED');
}

/** The rows of a query, on a new connection. */
export async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: url });
  // Killing the server breaks this connection, which is no error.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

async function startHolder(directory: string, atEnd: string): Promise<Holder> {
  const child = spawn(process.execPath, [holderScript, directory, atEnd], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const line: unknown = JSON.parse(await createInterface(child.stdout).question(''));
  if (typeof line !== 'object' || line === null || !('url' in line) || !('startedHere' in line))
    throw new Error(`expected an address, got ${JSON.stringify(line)}`);
  return {
    url: String(line.url),
    startedHere: line.startedHere === true,
    async end() {
      child.stdin.end();
      await exited;
    },
  };
}

async function makeTemporaryDirectory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'usage-etl-embedded-'));
  // If root runs the tests, the server runs as another user, who must be able to enter.
  await chmod(made, 0o711);
  return made;
}
