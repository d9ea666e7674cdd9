/** Measures workers: slices over one process and 1, 2 and 4 workers, the cost of the queue, and how soon work goes on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { addDays, earliestDay } from '../src/model/day.ts';
import { takeJobs } from '../src/pipeline/queue/take-jobs.ts';
import { analyticsEndpoints } from '../src/simulator/rows.ts';
import { openPool } from '../src/warehouse/connection/connection.ts';
import { migrate } from '../src/warehouse/migrations/migrations.ts';
import { addJobs } from '../src/warehouse/queue/add-jobs.ts';
import { QueueConnection } from '../src/warehouse/queue/queue-connection.ts';
import { settleJob } from '../src/warehouse/queue/settle-job.ts';
import { holdPool } from '../src/warehouse/queue/worker-pools.ts';
import { type BenchContext, timed } from './context.ts';
import type { Figure } from './figures.ts';
import { startOrganizations } from './organizations-platform.ts';
import { program, runEtl } from './program.ts';
import type { BenchWarehouse } from './server.ts';

const part = 'scale-out';
const latencyMs = 50;
const endpoints = analyticsEndpoints.join(',');

/** Measures all of it. */
export async function measureScaleOut(context: BenchContext): Promise<Figure[]> {
  return [
    ...(await measureThroughput(context)),
    ...(await measureQueue(context)),
    ...(await measureTakeover(context)),
  ];
}

async function measureThroughput({ server, quick, directory, say }: BenchContext): Promise<Figure[]> {
  const [count, days] = quick ? [8, 3] : [200, 14];
  await using platform = await startOrganizations(count, latencyMs, directory);
  const range = ['--from', earliestDay, '--to', addDays(earliestDay, days - 1), '--endpoints', endpoints];
  const slices = count * days * analyticsEndpoints.length;
  const figures: Figure[] = [];
  const measured = new Map<number, number>();
  for (const workers of [0, 1, 2, 4]) {
    say(`scale-out: ${workers === 0 ? 'one process' : `${workers} workers`}, ${count} organizations`);
    await using warehouse = await server.createWarehouse();
    await migrate(warehouse.url, { queue: 'needed' });
    const environment = { ...platform.environment, DATABASE_URL: warehouse.url };
    const { ms } = await timed(async () => {
      if (workers === 0) await runEtl(['backfill', ...range, '--json'], environment);
      else {
        await runEtl(['enqueue', 'backfill', ...range], environment);
        await workUntilEmpty(workers, environment, warehouse);
      }
    });
    await expectEachSliceOnce(warehouse, slices);
    const perSecond = slices / (ms / 1000);
    measured.set(workers, perSecond);
    const ofOne = perSecond / (measured.get(1) ?? perSecond);
    figures.push({
      part,
      name: workers === 0 ? 'one process' : `${workers} worker${workers === 1 ? '' : 's'}`,
      value: perSecond,
      unit: 'slices/s',
      note:
        workers > 1
          ? `${ofOne.toFixed(2)} times one worker; start and order included`
          : `${count} organizations, ${latencyMs} ms latency`,
    });
  }
  return figures;
}

/** Starts workers, waits until the queue is empty, and ends them. */
async function workUntilEmpty(
  count: number,
  environment: Readonly<Record<string, string>>,
  warehouse: BenchWarehouse,
): Promise<void> {
  const workers = Array.from({ length: count }, () => startWorker(environment));
  try {
    for (;;) {
      const [left] = await warehouse.query('select count(*)::integer as jobs from etl_queue.jobs');
      if (left?.jobs === 0) return;
      await delay(100);
    }
  } finally {
    await Promise.all(workers.map((worker) => end(worker, 'SIGTERM')));
  }
}

function startWorker(environment: Readonly<Record<string, string>>): ChildProcess {
  return spawn(program, ['worker'], {
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? tmpdir(), ...environment },
    stdio: 'ignore',
  });
}

async function end(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = once(worker, 'close');
  worker.kill(signal);
  await ended;
}

async function expectEachSliceOnce(warehouse: BenchWarehouse, wanted: number): Promise<void> {
  const [row] = await warehouse.query(
    "select count(*)::integer as slices, max(attempts)::integer as attempts from etl.slice where status in ('loaded', 'empty', 'pending')",
  );
  if (row?.slices !== wanted || row.attempts !== 1)
    throw new Error(`expected ${wanted} slices, each loaded once, got ${JSON.stringify(row)}`);
}

/** The queue alone: jobs that do nothing, each of an organization of its own. */
async function measureQueue({ server, quick, say }: BenchContext): Promise<Figure[]> {
  const count = quick ? 50 : 1_000;
  say(`scale-out: ${count} jobs that do nothing`);
  await using warehouse = await server.createWarehouse();
  await migrate(warehouse.url, { queue: 'needed' });
  const jobs = Array.from({ length: count }, (_, index) => ({
    task: 'nightly',
    key: `nightly org-${index} 2026-01-14`,
    queue: `org-${index}`,
    priority: 0,
    payload: {},
  }));
  await warehouse.session(async (client) => {
    await client.query('begin');
    await addJobs(client, jobs);
    await client.query('commit');
  });
  const position = async () => {
    const [row] = await warehouse.query("select pg_current_wal_lsn() - '0/0' as bytes");
    return Number(row?.bytes);
  };
  const before = await position();
  const pool = openPool(warehouse.url, 1);
  const done = Promise.withResolvers<void>();
  let left = count;
  const { ms } = await timed(async () => {
    const taker = await takeJobs({
      openQueue: (poolId) =>
        new QueueConnection(pool, { hold: (client) => holdPool(client, poolId), warn: say }),
      concurrency: 4,
      mayTake: () => true,
      async work({ id, revision }) {
        const taken = { id, poolId: taker.poolId, revision };
        await taker.queue.use((client) => settleJob(client, taken, { becomes: 'deleted' }));
        left -= 1;
        if (left === 0) done.resolve();
      },
      log: { debug: () => undefined, warn: (...words: unknown[]) => say(String(words)) },
    });
    await done.promise;
    await taker.stop();
    await taker.queue.close();
  });
  await pool.end();
  const bytes = (await position()) - before;
  return [
    {
      part,
      name: 'jobs that do nothing',
      value: count / (ms / 1000),
      unit: 'jobs/s',
      note: `${count} queues, one worker`,
    },
    {
      part,
      name: 'log of the database per job',
      value: bytes / count / 1000,
      unit: 'kB',
      note: `${count} queues`,
    },
  ];
}

/** How long an organization whose worker was ended waits for the next request of another worker. */
async function measureTakeover({ server, quick, directory, say }: BenchContext): Promise<Figure[]> {
  const days = quick ? 60 : 180;
  const figures: Figure[] = [];
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    say(`scale-out: ${signal}`);
    await using platform = await startOrganizations(1, latencyMs, directory);
    await using warehouse = await server.createWarehouse();
    await migrate(warehouse.url, { queue: 'needed' });
    const environment = { ...platform.environment, DATABASE_URL: warehouse.url, REQUESTS_PER_SECOND: '2' };
    const range = ['--from', earliestDay, '--to', addDays(earliestDay, days - 1), '--endpoints', endpoints];
    await runEtl(['enqueue', 'backfill', ...range], environment);
    const first = startWorker(environment);
    await platform.nextRequest();
    const other = startWorker(environment);
    try {
      await untilOld(warehouse);
      await end(first, signal);
      const endedAt = performance.now();
      const askedAt = await platform.nextRequest();
      figures.push({
        part,
        name: `from ${signal} to the next request`,
        value: (askedAt - endedAt) / 1000,
        unit: 's',
        target: { of: 'value', better: 'lower', must: 60, aim: 30 },
      });
    } finally {
      await Promise.all([end(first, 'SIGKILL'), end(other, 'SIGTERM')]);
    }
  }
  return figures;
}

/** Jobs that were taken just now are not given to others. A job of production is older. */
async function untilOld(warehouse: BenchWarehouse): Promise<void> {
  await warehouse.query(
    "update etl_queue._private_jobs set locked_at = locked_at - interval '1 minute' where locked_by is not null",
  );
  // The other worker must have begun.
  await delay(3_000);
}
