/** Creates a Postgres cluster on disk, and finds or starts its server. Callers hold the lock of the cluster. */
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { chown, lstat, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { codeOf } from '../model/error-code.ts';
import { WarehouseError } from '../model/errors.ts';
import { setSearchPath } from '../model/search-path.ts';
import { atAbruptEnd } from './abrupt-end.ts';
import type { ClusterPlace } from './embedded-postgres-account.ts';
import type { PostgresBinaries } from './embedded-postgres-binaries.ts';
import { readIfThere } from './process-lock.ts';
import { run } from './run-program.ts';
import { mayBeServer } from './server-process.ts';

/** An existing cluster, and what is needed to run and reach its server. */
export interface Cluster {
  readonly place: ClusterPlace;
  readonly binaries: PostgresBinaries;
  readonly password: string;
}

const superuser = 'postgres';
const startTimeoutMs = 60_000;
/** How long a start waits until remaining processes of a crashed server release its shared memory. */
const orphanTimeoutMs = 15_000;

const clusterSettings: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  shared_buffers: '128MB',
  maintenance_work_mem: '128MB',
  max_wal_size: '2GB',
};

export const dataOf = (place: ClusterPlace) => join(place.serverDirectory, 'data');
const logOf = (place: ClusterPlace) => join(place.serverDirectory, 'server.log');
const portFileOf = (place: ClusterPlace) => join(place.home, 'port');

/** The URL of a database of the cluster, with its password. */
export function urlOf(cluster: Cluster, port: number, database: string): string {
  return `postgres://${superuser}:${cluster.password}@127.0.0.1:${port}/${encodeURIComponent(database)}`;
}

/** Opens the cluster at `place`, or creates it in about a second. Throws the reason of `signal` when it aborts. */
export async function openCluster(
  place: ClusterPlace,
  binaries: PostgresBinaries,
  log: (message: string) => void,
  signal?: AbortSignal,
): Promise<Cluster> {
  const passwordFile = join(place.home, 'password');
  const isMade = (await lstat(dataOf(place)).catch(() => undefined)) !== undefined;
  const known = (await readIfThere(passwordFile))?.trim();
  if (isMade) {
    if (known === undefined || known === '')
      throw new WarehouseError(
        `expected the password of the Postgres cluster ${dataOf(place)} in ${passwordFile}, but the file is ` +
          'missing or empty: restore it, remove the cluster if its data is not needed, or set DATABASE_URL',
      );
    return { place, binaries, password: known };
  }

  log(`creating a Postgres cluster in ${place.home}`);
  const password = randomBytes(24).toString('base64url');
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
  if (place.account !== undefined) await chown(passwordFile, place.account.uid, place.account.gid);

  // The cluster is created under another name, so that what an interrupted initdb leaves is never taken for a cluster.
  // The name is new each time, because an initdb may still run after its parent process has ended.
  for (const name of await readdir(place.serverDirectory)) {
    if (name.startsWith('data.new-'))
      await rm(join(place.serverDirectory, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const draft = `${dataOf(place)}.new-${randomUUID()}`;
  const forget = atAbruptEnd(() => rmSync(draft, { recursive: true, force: true }));
  const initdb = await run(
    binaries.initdb,
    [
      `--pgdata=${draft}`,
      `--username=${superuser}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // Texts sort by code point on every machine; upper and lower case follow Unicode.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      ...Object.entries(clusterSettings).flatMap(([name, value]) => ['--set', `${name}=${value}`]),
    ],
    place.account,
    signal,
  );
  forget();
  if (signal?.aborted) await rm(draft, { recursive: true, force: true });
  signal?.throwIfAborted();
  if (initdb.exitCode !== 0)
    throw new WarehouseError(`expected initdb to create ${draft}, but it ended with: ${initdb.output}`);
  await rename(draft, dataOf(place));
  return { place, binaries, password };
}

/**
 * The port of the cluster's server; undefined when no server runs. Waits for a server that is starting or stopping.
 * Removes the `postmaster.pid` of a crashed server: Postgres refuses to start when the process id in this file belongs to
 * another process now, or to one that has ended and is still listed.
 */
export async function runningPort(cluster: Cluster): Promise<number | undefined> {
  const giveUpAt = performance.now() + startTimeoutMs;
  const pidFile = join(dataOf(cluster.place), 'postmaster.pid');
  for (;;) {
    // The lines of the file: process id, data directory, start time, port, and more.
    const [pid, directory, , port] = (await readIfThere(pidFile))?.split('\n') ?? [];
    if (pid === undefined || directory === undefined) return undefined;
    if (!(await mayBeServer(Number(pid), directory))) {
      // If processes of the crashed server still run, Postgres finds their shared memory and refuses to start.
      await rm(pidFile, { force: true });
      return undefined;
    }
    if (Number(port) > 0 && (await answers(cluster, Number(port)))) return Number(port);
    if (performance.now() > giveUpAt)
      throw new WarehouseError(
        `expected the Postgres server with process id ${pid} to answer on port ${port} within ` +
          `${startTimeoutMs / 1000} s, but it did not; its log is ${logOf(cluster.place)}`,
      );
    await delay(50);
  }
}

/** Starts the server with `settings` for this start only. Returns its port. */
export async function startServer(
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const { place, binaries } = cluster;
  const giveUpAt = performance.now() + orphanTimeoutMs;
  for (;;) {
    const port = await choosePort(place);
    const serverLog = logOf(place);
    await rename(serverLog, `${serverLog}.previous`).catch(() => undefined);
    const options = Object.entries(settings).map(([name, value]) => `-c ${quote(`${name}=${value}`)}`);
    const { exitCode, output } = await run(
      binaries.pgCtl,
      [
        'start',
        '--wait',
        `--timeout=${startTimeoutMs / 1000}`,
        `--pgdata=${dataOf(place)}`,
        `--log=${serverLog}`,
        `--options=-p ${port} ${options.join(' ')}`,
      ],
      place.account,
    );
    if (exitCode === 0) return port;
    // A pg_ctl whose parent process has ended may have started the server meanwhile.
    const running = await runningPort(cluster);
    if (running !== undefined) return running;

    const reason = (await readIfThere(serverLog))?.trim() ?? output;
    const portWasTaken = reason.includes('could not bind');
    const orphansRemain = reason.includes('pre-existing shared memory block');
    if (portWasTaken) await rm(portFileOf(place), { force: true });
    if ((!portWasTaken && !orphansRemain) || performance.now() > giveUpAt)
      throw new WarehouseError(`expected Postgres to start in ${dataOf(place)}, but its log says: ${reason}`);
    await delay(100);
  }
}

/** Creates a database when it is missing. */
export async function ensureDatabase(cluster: Cluster, port: number, database: string): Promise<void> {
  const client = new pg.Client({ connectionString: urlOf(cluster, port, 'postgres') });
  // The error of a broken connection also rejects the running query, so it is ignored here.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(setSearchPath);
    const found = await client.query('select from pg_catalog.pg_database where datname = $1', [database]);
    if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

/** Whether the server on `port` belongs to this cluster and accepts our password. */
async function answers(cluster: Cluster, port: number): Promise<boolean> {
  const client = new pg.Client({
    connectionString: urlOf(cluster, port, 'postgres'),
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(setSearchPath);
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return rows[0] !== undefined && (await realpath(rows[0].data_directory)) === dataOf(cluster.place);
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The port of the last start if it is free, else a new one, which is stored in a file. */
async function choosePort(place: ClusterPlace): Promise<number> {
  const file = portFileOf(place);
  const remembered = Number((await readIfThere(file)) ?? Number.NaN);
  if (Number.isInteger(remembered) && (await isFree(remembered))) return remembered;
  // The system does not use these ports for outgoing connections, so a free one stays free.
  let port = randomInt(20_000, 32_000);
  while (!(await isFree(port))) port = randomInt(20_000, 32_000);
  await writeFile(file, `${port}\n`, { mode: 0o600 });
  return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error) => {
      if (codeOf(error) === 'EADDRINUSE' || codeOf(error) === 'EACCES') resolve(false);
      else reject(error);
    });
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Quotes a word for the shell of pg_ctl. */
function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
