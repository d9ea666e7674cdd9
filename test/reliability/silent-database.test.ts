import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts';
import { expectNoLockLeft, expectWarehouseEqualsPayloads, runsByStatus } from './database-condition.ts';

const range = { from: '2026-01-14', to: '2026-01-20' };
const backfill = `backfill --from ${range.from} --to ${range.to}`;
/** Sent by a run in the middle of its work. */
const moments = ['copy warehouse.fact_user_daily', 'commit\0', 'insert into "etl"."slice"'];

async function throughProxy(
  users: number,
  work: (installation: Installation, proxy: SilentProxy) => Promise<void>,
): Promise<void> {
  await using installation = await install({ users, hurries: true });
  const proxy = await startSilentProxy(installation.database.url);
  try {
    await work(installation, proxy);
  } finally {
    await proxy.close();
  }
}

async function expectRepair(installation: Installation): Promise<void> {
  const repair = await loadInProcess(installation, backfill);
  expect(repair).toMatchObject({ code: 0, summary: { status: 'succeeded' } });
  expect((await runsByStatus(installation.database.pool)).running).toBeUndefined();
  await expectWarehouseEqualsPayloads(installation, range);
}

// They mostly wait.
test.concurrent.each(moments)(
  'a database that is silent for good from %j on ends the run with a sentence',
  async (moment) => {
    await throughProxy(300, async (installation, proxy) => {
      const silent = proxy.fallSilentAt(moment);
      const run = installation.start(backfill, { DATABASE_URL: proxy.url, STATEMENT_TIMEOUT_MS: '2000' });
      await silent;
      const { code, stderr } = await run.ended;
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^usage-etl: the database connection was lost and could not be made again \(the database has not answered for 2 s\); run the job again/m,
      );
      await proxy.close();
      await expectRepair(installation);
    });
  },
);

test.concurrent('a database that answers again after a while delays the run, and nothing else', async () => {
  await throughProxy(300, async (installation, proxy) => {
    const silent = proxy.fallSilentAt('copy warehouse.fact_user_daily');
    const run = installation.start(backfill, { DATABASE_URL: proxy.url, STATEMENT_TIMEOUT_MS: '5000' });
    await silent;
    await proxy.knocked();
    proxy.speak();
    expect(await run.ended).toMatchObject({ code: 0 });
    await expectWarehouseEqualsPayloads(installation, range);
    await expectNoLockLeft(installation.database.pool);
  });
});

test.concurrent('SIGTERM ends a run whose database is silent', async () => {
  await throughProxy(300, async (installation, proxy) => {
    const silent = proxy.fallSilentAt('copy warehouse.fact_user_daily');
    const run = installation.start(backfill, { DATABASE_URL: proxy.url });
    await silent;
    run.process.kill('SIGTERM');
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toContain('interrupted by SIGTERM');
    expect(stderr).not.toContain('did not end in time');
    await proxy.close();
    await expectRepair(installation);
  });
});

test('a database that is silent before the run has begun ends it with a sentence', async () => {
  await throughProxy(5, async (installation, proxy) => {
    void proxy.fallSilentAt('set_config');
    const { code, stderr } = await installation.run(backfill, {
      DATABASE_URL: proxy.url,
      STATEMENT_TIMEOUT_MS: '1000',
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^usage-etl: DATABASE_URL: the database cannot be reached now: the database has not answered/m,
    );
  });
});

/** Makes the process of the server sleep that comes to the fifth row of a fact, once. */
const sleepInTheMiddle = `
  create sequence public.row_reached;
  create function public.sleep() returns trigger language plpgsql as $$
    begin
      if nextval('public.row_reached') = 5 then
        perform pg_sleep(3600);
      end if;
      return new;
    end $$;
  create trigger sleep before insert on warehouse.fact_user_daily
    for each row execute function public.sleep()`;

/** What a run prints when it ends. */
const endOfRun = z.object({
  status: z.string(),
  slices: z.object({ failed: z.number(), loaded: z.number() }),
});

test.concurrent('one process of the server that is stopped fails what it holds up, and the run goes on', async ({
  skip,
}) => {
  await using installation = await install({ users: 20, hurries: true });
  const { pool } = installation.database;
  await pool.query(sleepInTheMiddle);
  const environment = { STATEMENT_TIMEOUT_MS: '3000', LOCK_TIMEOUT_MS: '1000' };
  const run = installation.start(`${backfill} --json`, environment);
  const sleeping = async () => {
    const { rows } = await pool.query<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    );
    return rows[0]?.pid ?? 0;
  };
  await expect.poll(sleeping).toBeGreaterThan(0);
  const pid = await sleeping();
  const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
  if (!name.startsWith('postgres')) {
    run.process.kill('SIGKILL');
    skip('the server does not run on this machine');
  }
  process.kill(pid, 'SIGSTOP');
  try {
    const { code, stdout, stderr } = await run.ended;
    expect(code, stderr).toBe(1);
    // How many slices waited together with it is a matter of speed.
    const { status, slices } = endOfRun.parse(JSON.parse(stdout));
    expect({ status, sum: slices.failed + slices.loaded }).toEqual({ status: 'partial', sum: 35 });
    const { rows } = await pool.query<{ error: string }>(
      `select error from etl.slice where status = 'failed'`,
    );
    expect(rows).toHaveLength(slices.failed);
    expect(rows.map(({ error }) => error).join()).toContain(
      `for a lock on warehouse.fact_user_daily that process ${pid} of the database server`,
    );
  } finally {
    process.kill(pid, 'SIGCONT');
  }
  await pool.query('drop trigger sleep on warehouse.fact_user_daily');
  await expectRepair(installation);
});
