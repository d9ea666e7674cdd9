import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/embedded/embedded-postgres.ts';
import { day, daysOf } from '../../src/model/day.ts';
import { RandomStream } from '../../src/simulator/random.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { expectedWarehouse, sortedRows } from '../support/expected-warehouse.ts';
import { endpoints, servedRows } from '../support/installation.ts';
import type { Started } from '../support/program.ts';
import { installOrganizations, type Organizations } from '../support/queue-installation.ts';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';
import { randomTest } from './random-test.ts';

const range = { from: day('2026-01-14'), to: day('2026-01-20') };
const requestsPerSecond = 40;
const troubles = randomTest('USAGE_ETL_WORKER_TROUBLES', {
  file: 'worker-troubles',
  count: 4,
  seed: 1,
  timeoutMs: 600_000,
});
/** After a run that failed, a backfill waits for a minute; everything else is taken over within one. */
const longestMs = 125_000;

let directory: string;
let server: EmbeddedPostgres;
const start = () =>
  startEmbeddedPostgres({
    directory,
    database: 'warehouse',
    settings: { fsync: 'off', synchronous_commit: 'on' },
  });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'usage-etl-worker-troubles-'));
  await chmod(directory, 0o711);
  server = await start();
});

afterAll(async () => {
  await server.stop();
  await rm(server.home, { recursive: true, force: true });
  await rm(directory, { recursive: true, force: true });
});

/** Asks on a connection of its own, because a trouble may break any other. */
async function ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ ...ownNamesOnly, connectionString: server.url });
  try {
    await client.connect();
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A worker behind a network of its own. */
interface Networked {
  worker: Started;
  readonly network: SilentProxy;
}

type Trouble = 'killed' | 'stopped' | 'restarted' | 'silent' | 'cut';

/** Lets something go wrong; resolves when the worker, if it lives, could go on. */
async function trouble(kind: Trouble, { worker, network }: Networked): Promise<void> {
  switch (kind) {
    case 'killed':
      worker.process.kill('SIGKILL');
      await worker.ended;
      return;
    case 'stopped':
      worker.process.kill('SIGSTOP');
      await delay(4_000);
      worker.process.kill('SIGCONT');
      return;
    case 'restarted': {
      const [pid] = (await readFile(join(server.home, 'server/data/postmaster.pid'), 'utf8')).split('\n');
      process.kill(Number(pid), 'SIGINT');
      server = await start();
      return;
    }
    case 'silent':
      network.fallSilent();
      await delay(4_000);
      network.speak();
      return;
    case 'cut':
      await ask(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'usage-etl'",
      );
      return;
  }
}

/** How many requests of an organization came within any second, at most. */
function busiestSecond(arrivals: readonly number[]): number {
  let [most, oldest] = [0, 0];
  arrivals.forEach((at, newest) => {
    while (at - (arrivals[oldest] ?? at) >= 1000) oldest += 1;
    most = Math.max(most, newest - oldest + 1);
  });
  return most;
}

async function expectWhole({ all }: Organizations): Promise<void> {
  const expected: Record<string, Parameters<typeof sortedRows>[0][number][]> = {};
  for (const { organizationId, dataset } of all) {
    const payloads = daysOf(range).flatMap((each) =>
      endpoints.map((endpoint) => ({ endpoint, day: each, rows: servedRows(dataset, endpoint, each) })),
    );
    for (const [table, rows] of Object.entries(expectedWarehouse(organizationId, payloads)))
      expected[table] = [...(expected[table] ?? []), ...rows];
  }
  const pool = new pg.Pool({ ...ownNamesOnly, connectionString: server.url });
  try {
    const sorted = Object.entries(expected).map(([table, rows]) => [table, sortedRows(rows)]);
    expect(await storedWarehouse(pool)).toEqual(Object.fromEntries(sorted));
  } finally {
    await pool.end();
  }
}

test(`${troubles.count} troubles of two workers cost nothing but time`, {
  timeout: troubles.timeoutMs,
}, async ({ onTestFailed }) => {
  onTestFailed(troubles.tellHowToRepeat);
  const random = new RandomStream(troubles.seed);
  await using organizations = await installOrganizations(3, { url: server.url, users: 10 });
  const arrivals = new Map<string, number[]>();
  let sinceOrder = 0;
  let begin: { atRequest: number; resolve: () => void } | undefined;
  for (const organization of organizations.all)
    organization.fault = () => {
      arrivals.set(organization.name, [...(arrivals.get(organization.name) ?? []), performance.now()]);
      sinceOrder += 1;
      if (sinceOrder === begin?.atRequest) begin.resolve();
      return { kind: 'delay', ms: 20 };
    };
  const networks = await Promise.all([startSilentProxy(server.url), startSilentProxy(server.url)]);
  const startWorker = (network: SilentProxy) =>
    organizations.work({
      DATABASE_URL: network.url,
      REQUESTS_PER_SECOND: String(requestsPerSecond),
      // So that both have jobs.
      WORKER_CONCURRENCY: '2',
    });
  const workers: Networked[] = [];
  for (const network of networks) workers.push({ network, worker: await startWorker(network) });
  const kinds: readonly Trouble[] = ['killed', 'restarted', 'cut', 'stopped', 'silent'];
  const seconds: number[] = [];
  try {
    for (let count = 0; count < troubles.count; count += 1) {
      const kind = kinds[count < kinds.length ? count : random.between(0, kinds.length - 1)] ?? 'killed';
      const struck = workers[random.between(0, workers.length - 1)];
      if (struck === undefined) throw new Error('expected a worker');
      sinceOrder = 0;
      const began = new Promise<void>((resolve) => {
        begin = { atRequest: random.between(1, 30), resolve };
      });
      await organizations.order(`backfill --force --from ${range.from} --to ${range.to}`);
      await began;
      const struckAt = performance.now();
      await trouble(kind, struck);
      if (kind === 'killed') struck.worker = await startWorker(struck.network);
      await expect
        .poll(() => ask('select key, attempts, last_error from etl_queue.jobs').catch(String), {
          timeout: longestMs,
        })
        .toEqual([]);
      seconds.push((performance.now() - struckAt) / 1000);
      const running = () => ask("select run_id from etl.run where status = 'running'");
      await expect.poll(running, { timeout: 30_000 }).toEqual([]);
      await expectWhole(organizations);
    }
    const overlaps = await ask(
      `select one.run_id, other.run_id as other
      from etl.run as one
      join etl.run as other on other.org_key = one.org_key and other.run_id > one.run_id
      where other.started_at < one.finished_at and one.status = 'succeeded' and other.status = 'succeeded'`,
    );
    expect(overlaps).toEqual([]);
    for (const [name, at] of arrivals)
      expect(busiestSecond(at), name).toBeLessThanOrEqual(requestsPerSecond + 4);
    for (const { worker } of workers) {
      worker.process.kill('SIGTERM');
      expect(await worker.ended).toMatchObject({ code: 0 });
    }
  } finally {
    for (const { worker } of workers) worker.process.kill('SIGKILL');
    await Promise.all(networks.map((network) => network.close()));
  }
  console.log(
    `seconds until all was loaded: ${seconds.map((each) => each.toFixed(0)).join(', ')}; warehouse equal`,
  );
});
