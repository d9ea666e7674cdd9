import { expect, test } from 'vitest';
import { installOrganizations, type Organizations } from '../support/queue-installation.ts';

const days = '--from 2026-01-14 --to 2026-01-20';

async function statuses({ database }: Organizations) {
  const { rows } = await database.pool.query<{ status: string }>(
    'select status from etl.run order by run_id',
  );
  return rows.map(({ status }) => status);
}

/** Lets the tools of all organizations hang; resolves when so many have been asked. */
function hangAll({ all }: Organizations, count: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const asked = new Set<string>();
  for (const organization of all)
    organization.fault = ({ path }) => {
      if (!path.endsWith('/tools')) return undefined;
      if (asked.add(organization.name).size === count) resolve();
      return { kind: 'hang' };
    };
  return promise;
}

test('the jobs of a worker that was killed are taken over within a minute, and its runs are closed', async () => {
  await using organizations = await installOrganizations(3);
  const hangs = hangAll(organizations, 3);
  await organizations.order(`backfill ${days}`);
  const killed = await organizations.work();
  await hangs;
  for (const organization of organizations.all) organization.fault = () => undefined;
  const began = performance.now();
  killed.process.kill('SIGKILL');
  await killed.ended;
  const heir = await organizations.work();
  await expect.poll(() => organizations.jobs()).toEqual([]);
  const seconds = (performance.now() - began) / 1000;
  expect(seconds).toBeLessThan(60);
  expect((await statuses(organizations)).toSorted()).toEqual([
    ...Array(3).fill('failed'),
    ...Array(3).fill('succeeded'),
  ]);
  heir.process.kill('SIGTERM');
  expect(await heir.ended).toMatchObject({ code: 0 });
  console.log(`taken over and done ${seconds.toFixed(1)} s after the kill`);
});

test('a worker that is stopped keeps its jobs and goes on; nobody else takes them', async () => {
  await using organizations = await installOrganizations(1, { hurries: true });
  const hangs = hangAll(organizations, 1);
  await organizations.order(`backfill ${days}`);
  const stopped = await organizations.work();
  await hangs;
  stopped.process.kill('SIGSTOP');
  // As old as a job has to be before others look at it, and one more, whose worker is dead.
  const { pool } = organizations.database;
  await pool.query("update etl_queue._private_jobs set locked_at = locked_at - interval '1 hour'");
  await pool.query("select etl_queue.add_job('nightly', payload := '{}', job_key := 'of the dead')");
  await pool.query(
    "update etl_queue._private_jobs set locked_by = 'pool-dead', locked_at = now() - interval '1 hour' where key = 'of the dead'",
  );
  await organizations.work();
  await expect
    .poll(() => organizations.jobs())
    .toMatchObject([{ is_running: true }, { key: 'of the dead', is_running: false, attempts: 25 }]);
  for (const organization of organizations.all) organization.fault = () => undefined;
  stopped.process.kill('SIGCONT');
  stopped.process.kill('SIGTERM');
  expect(await stopped.ended).toMatchObject({ code: 0 });
  await expect.poll(() => organizations.jobs()).toMatchObject([{ key: 'of the dead' }]);
});

test('one organization is worked on by one worker at a time, and two workers share the organizations', async () => {
  await using organizations = await installOrganizations(4);
  const atOnce = new Map<string, number>();
  let overlaps = 0;
  await organizations.order('backfill --from 2026-01-14 --to 2026-05-03');
  await Promise.all([organizations.work(), organizations.work()]);
  const { pool } = organizations.database;
  await expect
    .poll(async () => {
      const { rows } = await pool.query<{ queue: string; jobs: number }>(
        `select queue_name as queue, count(*)::integer as jobs from etl_queue.jobs where locked_at is not null group by 1`,
      );
      for (const { queue, jobs } of rows) {
        atOnce.set(queue, Math.max(jobs, atOnce.get(queue) ?? 0));
        if (jobs > 1) overlaps += 1;
      }
      return await organizations.jobs();
    })
    .toEqual([]);
  expect(overlaps).toBe(0);
  const { rows } = await pool.query<{ overlaps: number }>(
    `select count(*)::integer as overlaps
    from etl.run as one
    join etl.run as other on other.org_key = one.org_key and other.run_id > one.run_id
    where other.started_at < one.finished_at`,
  );
  expect(rows).toEqual([{ overlaps: 0 }]);
  expect(new Set(await statuses(organizations))).toEqual(new Set(['succeeded']));
});
