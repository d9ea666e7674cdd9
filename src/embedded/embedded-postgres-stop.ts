/** Stops the server of a cluster: normally, or while this process exits. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { WarehouseError } from '../model/errors.ts';
import { type Cluster, dataOf } from './embedded-postgres-server.ts';
import { readIfThere } from './process-lock.ts';
import { run, runAtOnce } from './run-program.ts';

/**
 * Stops the server: rolls back open transactions and ends sessions. A server that cannot write its last checkpoint is
 * stopped without one, and the next start recovers committed data. Does nothing when no server runs.
 */
export async function stopServer({ place, binaries }: Cluster): Promise<void> {
  let output = '';
  for (const mode of ['fast', 'immediate']) {
    const stop = ['stop', `--mode=${mode}`, '--wait', '--timeout=60', `--pgdata=${dataOf(place)}`];
    const ended = await run(binaries.pgCtl, stop, place.account);
    if (ended.exitCode === 0 || (await readIfThere(join(dataOf(place), 'postmaster.pid'))) === undefined)
      return;
    ({ output } = ended);
  }
  throw new WarehouseError(`expected the Postgres server of ${dataOf(place)} to stop, got: ${output}`);
}

/** How long an abrupt end waits for the server to stop. */
const abruptMs = 5_000;

/**
 * Stops the server synchronously, for `process.on('exit')`. The next start recovers committed data. With `mayComeUp`,
 * pg_ctl was just starting the server: waits a moment until it can be stopped.
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
