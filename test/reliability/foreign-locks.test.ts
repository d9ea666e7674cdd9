import pg from 'pg';
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { type Installation, install } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-20' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;

interface Holder {
  readonly pid: number;
  readonly role: string;
  release(): Promise<void>;
}

/** Somebody who has done something in a transaction and does not end it. */
async function hold({ database }: Installation, statement: string): Promise<Holder> {
  const client = new pg.Client({
    ...ownNamesOnly,
    connectionString: database.url,
    application_name: 'report',
  });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(`begin; ${statement}`);
  const { rows } = await client.query<Pick<Holder, 'pid' | 'role'>>(
    'select pg_backend_pid() as pid, current_user as role',
  );
  return { pid: 0, role: '', ...rows[0], release: () => client.end() };
}

/** How the run tells who held a table. */
const heldBy = ({ pid, role }: Holder, table: string) =>
  `for a lock on ${table} that process ${pid} of the database server (role ${role}, report) holds`;

async function failures({ database }: Installation): Promise<{ endpoint: string; said: string }[]> {
  const { rows } = await database.pool.query<{ endpoint: string; said: string }>(
    'select endpoint, coalesce(error, last_error) as said from etl.slice where last_failed_at is not null order by slice_key',
  );
  return rows;
}

async function expectRepair(installation: Installation): Promise<void> {
  expect(await installation.load(backfill)).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
  await expectWarehouseEqualsPayloads(installation, range);
}

const tables = [
  ['of its facts', 'warehouse.fact_user_daily'],
  ['of its dimensions', 'warehouse.dim_language'],
] as const;

test.each(tables)(
  'a table %s that somebody has locked fails the slices that need it, and no other',
  async (_, table) => {
    await using installation = await install({ users: 20 });
    const holder = await hold(installation, `lock table ${table} in access exclusive mode`);
    try {
      const { code, summary, stderr } = await installation.load(backfill, { LOCK_TIMEOUT_MS: '1000' });
      expect(code, stderr).toBe(1);
      const failed = await failures(installation);
      const endpoints = table === 'warehouse.fact_user_daily' ? ['users'] : ['users', 'productivity'];
      expect(new Set(failed.map(({ endpoint }) => endpoint))).toEqual(new Set(endpoints));
      expect(summary).toMatchObject({
        status: 'partial',
        slices: { failed: endpoints.length * 7, loaded: 35 - endpoints.length * 7 },
      });
      for (const { said } of failed) {
        expect(said).toMatch(/^waited 1 s, as long as LOCK_TIMEOUT_MS allows, /);
        expect(said).toContain(heldBy(holder, table));
      }
      expect(await runsByStatus(installation.database.pool)).toEqual({ partial: 1 });
    } finally {
      await holder.release();
    }
    await expectRepair(installation);
  },
);

test('known slices fail at once, too, and keep their rows', async () => {
  await using installation = await install({ users: 20 });
  await installation.load(backfill);
  const holder = await hold(installation, 'lock table warehouse.fact_user_daily in access exclusive mode');
  const startedAt = performance.now();
  const { code, summary } = await installation.load(`nightly --date ${range.to}`, {
    LOCK_TIMEOUT_MS: '1000',
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await holder.release();
  expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { failed: 4, unchanged: 16 } });
  for (const { said } of await failures(installation))
    expect(said).toContain(heldBy(holder, 'warehouse.fact_user_daily'));
  await expectWarehouseEqualsPayloads(installation, range);
  console.log(`four slices of one table gave up after ${seconds.toFixed(1)} s, with 1 s for a lock`);
});

test('a row that somebody has locked fails the one slice that changes it', async () => {
  await using installation = await install({ users: 20 });
  await installation.load(backfill);
  const restated = '2026-01-16';
  for (const each of [restated, '2026-01-18'])
    changeRows(installation.dataset, 'tokens', day(each), (row) => ({ ...row, input_tokens: 4711 }));
  const holder = await hold(
    installation,
    `select from warehouse.fact_token_daily where usage_date = '${restated}' for update`,
  );
  const { code, summary } = await installation.load(`${backfill} --force`, { LOCK_TIMEOUT_MS: '1000' });
  await holder.release();
  expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { failed: 1, loaded: 1 } });
  const [failed] = await failures(installation);
  expect(failed?.said).toContain(heldBy(holder, 'warehouse.fact_token_daily'));
  expect(await installation.load(`nightly --date ${range.to}`)).toMatchObject({ code: 0 });
  await expectWarehouseEqualsPayloads(installation, range);
});

test('who holds a lock is told even where the wait was too short to look', async () => {
  await using installation = await install({ users: 5 });
  const holder = await hold(installation, 'lock table warehouse.fact_user_daily in access exclusive mode');
  expect((await installation.load(backfill, { LOCK_TIMEOUT_MS: '20' })).code).toBe(1);
  await holder.release();
  // So short a limit ends other waits, too: the message may name a second table and a second process.
  for (const { said } of await failures(installation)) {
    expect(said).toMatch(/for a lock on .*warehouse\.fact_user_daily/);
    expect(said).toContain(`process ${holder.pid} of the database server (role ${holder.role}, report)`);
  }
});

test('a ledger that somebody has locked ends the run with a sentence', async () => {
  await using installation = await install({ users: 5 });
  const holder = await hold(installation, 'lock table etl.slice in access exclusive mode');
  const { code, stderr } = await installation.run(backfill, { LOCK_TIMEOUT_MS: '1000' });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^usage-etl: waited 1 s/m);
  expect(stderr).toContain(heldBy(holder, 'etl.slice'));
  expect(await runsByStatus(installation.database.pool)).toEqual({ failed: 1 });
  await holder.release();
});

test('the log says what a run waits for that waits long; when the lock is free, it goes on', async () => {
  await using installation = await install({ users: 5, hurries: true });
  const holder = await hold(installation, 'lock table warehouse.fact_tool_daily in share mode');
  const run = installation.start(backfill, { LOG_FORMAT: 'json' });
  await run.says('waiting for ');
  await holder.release();
  const { code, stderr } = await run.ended;
  expect(code).toBe(0);
  expect(stderr).toContain(heldBy(holder, 'warehouse.fact_tool_daily'));
  expect(stderr.match(/waiting for/g)?.length).toBeLessThanOrEqual(4);
  await expectWarehouseEqualsPayloads(installation, range);
});

test('a statement that takes too long fails its slices, and the run goes on', async () => {
  await using installation = await install({ users: 5 });
  const { pool } = installation.database;
  await pool.query(`
    create function public.dawdle() returns trigger language plpgsql as $$
      begin perform pg_sleep(3600); return new; end $$;
    create trigger dawdle before insert on warehouse.fact_productivity_daily
      for each row execute function public.dawdle()`);
  const environment = { STATEMENT_TIMEOUT_MS: '500' };
  const { code, summary } = await installation.load(
    `backfill --from ${range.from} --to 2026-01-15`,
    environment,
  );
  expect({ code, slices: summary.slices }).toMatchObject({ code: 1, slices: { failed: 2, loaded: 8 } });
  for (const { said } of await failures(installation))
    expect(said).toMatch(/^a statement took 0.5 s, as long as STATEMENT_TIMEOUT_MS allows/);
  await pool.query('drop trigger dawdle on warehouse.fact_productivity_daily');
  await expectRepair(installation);
});
