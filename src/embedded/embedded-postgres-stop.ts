/** Stopping the server of a cluster: in its own time, or while this process exits. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WarehouseError } from '../model/errors.ts';
import { type Cluster, dataOf } from './embedded-postgres-server.ts';
import { readIfThere } from './process-lock.ts';
import { run, runAtOnce } from './run-program.ts';

/** Stops the server: open transactions are rolled back, sessions end. Nothing happens when none runs. */
export async function stopServer({ place, binaries }: Cluster): Promise<void> {
  const stop = ['stop', '--mode=fast', '--wait', '--timeout=60', `--pgdata=${dataOf(place)}`];
  const { exitCode, output } = await run(binaries.pgCtl, stop, place.account);
  if (exitCode !== 0 && (await readIfThere(join(dataOf(place), 'postmaster.pid'))) !== undefined)
    throw new WarehouseError(`expected the Postgres server of ${dataOf(place)} to stop, got: ${output}`);
}

/** How long an abrupt end waits for a server that is just coming up, and for one that goes down. */
const abruptMs = 5_000;

/**
 * Stops the server while nothing else of this process goes on: for `process.on('exit')`. Its next start recovers what was
 * committed. `mayComeUp`: a pg_ctl was at work on it a moment ago.
 */
export function stopServerAtOnce({ place, binaries }: Cluster, mayComeUp: boolean): void {
  const pidFile = join(dataOf(place), 'postmaster.pid');
  const giveUpAt = performance.now() + 500;
  const pause = new Int32Array(new SharedArrayBuffer(4));
  while (mayComeUp && !existsSync(pidFile) && performance.now() < giveUpAt) Atomics.wait(pause, 0, 0, 10);
  const stop = [
    'stop',
    '--mode=immediate',
    '--wait',
    `--timeout=${abruptMs / 1000}`,
    `--pgdata=${dataOf(place)}`,
  ];
  runAtOnce(binaries.pgCtl, stop, place.account, abruptMs + 1_000);
}
