import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/simulator/faults.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import type { Started } from '../support/program.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-23' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;
/** Requests that are answered before it happens. */
const answered = 8;
const graceSeconds = 10;

/** Ends a run by a signal, and returns what it said and how long it took. */
async function interrupt({ process: child, ended }: Started, signal: NodeJS.Signals) {
  const startedAt = performance.now();
  child.kill(signal);
  const end = await ended;
  const seconds = (performance.now() - startedAt) / 1000;
  expect(end.code, end.stderr).toBe(1);
  expect(seconds).toBeLessThan(graceSeconds);
  return { ...end, seconds };
}

/** The next run does what was left, and nothing is left of the one before. */
async function expectCompletion(installation: Installation): Promise<void> {
  const { pool } = installation.database;
  await expectNoLockLeft(pool);
  const next = await loadInProcess(installation, backfill);
  expect(next).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
  expect((await runsByStatus(pool)).running).toBeUndefined();
  await expectNoLockLeft(pool);
  await expectWarehouseEqualsPayloads(installation, range);
}

const askedToWait = (status: number): Fault => ({
  kind: 'status',
  status,
  headers: { 'retry-after': '3600' },
});

test.each<[NodeJS.Signals, string, Fault | undefined]>([
  ['SIGTERM', 'requests are answered', undefined],
  ['SIGINT', 'requests are answered', undefined],
  ['SIGTERM', 'requests hang', { kind: 'hang' }],
  ['SIGINT', 'requests hang', { kind: 'hang' }],
  ['SIGTERM', 'the platform asks to pause for an hour', askedToWait(429)],
  ['SIGTERM', 'the platform asks to retry in an hour', askedToWait(503)],
])('%s ends a run while %s', async (signal, when, fault) => {
  const reached = Promise.withResolvers<void>();
  let isHealthy = false;
  await using installation = await install({
    latencyMs: fault === undefined ? 40 : 0,
    fault: ({ number }) => {
      if (isHealthy || number <= answered) return undefined;
      if (number === answered + 2) reached.resolve();
      return fault;
    },
  });
  const started = installation.start(backfill, { MAX_RETRIES: '6' });
  // A pause lets no second request through.
  await Promise.race([reached.promise, started.says('trying again')]);
  const { stderr, seconds } = await interrupt(started, signal);
  expect(stderr).toContain(`interrupted by ${signal}`);
  expect(stderr).not.toContain('did not end in time');
  expect((await runsByStatus(installation.database.pool)).running).toBeUndefined();
  isHealthy = true;
  await expectCompletion(installation);
  console.log(`${signal} while ${when}: exit 1 after ${seconds.toFixed(1)} s, next run completed`);
});

test('SIGTERM ends a run while a statement waits for a lock of somebody else', async () => {
  await using installation = await install();
  const { pool } = installation.database;
  const blocker = await pool.connect();
  await blocker.query('begin; lock table warehouse.fact_user_daily in access exclusive mode');
  const started = installation.start(backfill);
  const waiting = async () =>
    (
      await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).rowCount;
  await expect.poll(waiting, { interval: 20 }).toBeGreaterThan(0);
  const { stderr, seconds } = await interrupt(started, 'SIGTERM');
  const statuses = await runsByStatus(pool);
  await blocker.query('rollback');
  blocker.release();
  expect(stderr).not.toContain('did not end in time');
  expect(statuses.running).toBeUndefined();
  await expectCompletion(installation);
  console.log(`SIGTERM while loading waits for a lock: exit 1 after ${seconds.toFixed(1)} s`);
});

describe('a signal that arrives twice within half a second is one', () => {
  /** A run whose requests hang; nothing but a signal ends it. */
  async function hangingRun() {
    const reached = Promise.withResolvers<void>();
    let isHealthy = false;
    const installation = await install({
      fault: ({ number }) => {
        if (isHealthy || number <= answered) return undefined;
        reached.resolve();
        return { kind: 'hang' };
      },
    });
    const started = installation.start(backfill);
    await reached.promise;
    const heal = () => {
      isHealthy = true;
    };
    return { installation, started, heal };
  }

  test.each<[NodeJS.Signals, NodeJS.Signals]>([
    ['SIGTERM', 'SIGINT'],
    ['SIGINT', 'SIGTERM'],
  ])('%s together with %s: the run is closed', async (first, second) => {
    const { installation, started, heal } = await hangingRun();
    await using _ = installation;
    started.process.kill(first);
    const { stderr } = await interrupt(started, second);
    expect(stderr.match(/again ends at once/g)).toHaveLength(1);
    expect((await runsByStatus(installation.database.pool)).running).toBeUndefined();
    heal();
    await expectCompletion(installation);
  });

  test.each<NodeJS.Signals>(['SIGTERM', 'SIGINT'])(
    '%s that is handed on after it was answered',
    async (signal) => {
      const { installation, started } = await hangingRun();
      await using _ = installation;
      started.process.kill(signal);
      await started.says('again ends at once');
      const { code, stderr } = await interrupt(started, signal);
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`interrupted by ${signal}`),
      });
      expect((await runsByStatus(installation.database.pool)).running).toBeUndefined();
    },
  );

  test('up to the last moment of a process', async () => {
    await using installation = await install();
    const started = installation.start('simulate --port 0');
    await started.says('the platform is simulated');
    const signalling = setInterval(() => started.process.kill('SIGTERM'));
    const { code } = await started.ended.finally(() => clearInterval(signalling));
    expect(code).toBe(0);
  });

  test('for what stays up, too', async () => {
    await using installation = await install();
    const started = installation.start('simulate --port 0');
    await started.says('the platform is simulated');
    started.process.kill('SIGTERM');
    started.process.kill('SIGINT');
    expect(await started.ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the simulated platform has ended'),
    });
  });

  test('and one that arrives later ends at once', async () => {
    // A clock that a script sets: what it still says, it lived to say.
    const script = `
      const { listenForSignals } = await import(${JSON.stringify(import.meta.resolve('../../jobs/signals.ts'))});
      const abort = new AbortController();
      let now = 7_000;
      listenForSignals(abort, { staysUp: false }, () => now);
      for (const [signal, at] of [['SIGTERM', 7_000], ['SIGTERM', 7_001], ['SIGINT', 7_500], ['SIGTERM', 7_501]]) {
        now = at;
        process.emit(signal, signal);
        console.log(at, abort.signal.aborted);
      }
    `;
    const end = await new Promise((resolve) => {
      execFile(process.execPath, ['--input-type=module', '--eval', script], (error, stdout) =>
        resolve({ code: error?.code, stdout }),
      );
    });
    expect(end).toEqual({ code: 1, stdout: '7000 true\n7001 true\n7500 true\n' });
  });
});

test('a second signal ends a process that waits for a file system that does not answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'usage-etl-signals-'));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opening a pipe that nobody writes into never returns, and holds a thread that Node's own end waits for.
  const script = `
    import { open } from 'node:fs/promises';
    import { listenForSignals } from ${JSON.stringify(join(process.cwd(), 'jobs/signals.ts'))};
    let seconds = 0;
    listenForSignals(new AbortController(), { staysUp: false }, () => (seconds += 1000));
    process.on('exit', () => console.log('seen to'));
    void open(${JSON.stringify(pipe)});
    setInterval(() => undefined, 1000);
    console.log('waits');
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([once(child, 'close'), text(child.stdout)]);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  await once(child.stderr, 'data');
  child.kill('SIGTERM');
  const [[code]] = await ended;
  await rm(folder, { recursive: true });
  expect(code).toBe(1);
});
