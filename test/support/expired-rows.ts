/** A warehouse of three days, and rows in it that are old enough to expire. */
import { expect } from 'vitest';
import { loadInProcess } from './commands-in-process.ts';
import { type Installation, install } from './installation.ts';

/** The first and the last loaded day. */
export const [from, to] = ['2026-01-14', '2026-01-16'] as const;
/** The numbers that `maintenance` prints when it deletes nothing. */
export const none = { runs: 0, rejected_rows: 0, drift: 0, check_results: 0, raw_slices: 0 };

export async function installLoaded(): Promise<Installation> {
  const installation = await install({ users: 5 });
  expect((await loadInProcess(installation, `backfill --from ${from} --to ${to}`)).code).toBe(0);
  return installation;
}

export async function rowsOf({ database }: Installation, text: string): Promise<unknown[][]> {
  return (await database.pool.query<unknown[]>({ text, rowMode: 'array' })).rows;
}

/** Inserts a run that is so many days old, with a row of each kind that expires. */
export async function plant({ database }: Installation, job: string, daysOld: number): Promise<void> {
  await database.pool.query(
    `with run as (
      insert into etl.run (job, status, started_at, org_key)
      select $1, 'succeeded', now() - $2 * interval '1 day', 1 returning run_id
    ), rejected as (
      insert into etl.rejected_row (run_id, org_key, endpoint, slice_key, reason, rejected_at)
      select run_id, 1, 'users', '2026-01-14', $1, now() - $2 * interval '1 day' from run
    ), drift as (
      insert into etl.drift (run_id, org_key, endpoint, path, kind, first_seen_at, last_seen_at)
      select run_id, 1, 'users', 'planet ' || $2, 'unknown_field', now() - interval '9 years', now() - $2 * interval '1 day'
      from run
    ), changed as (
      insert into etl.credit_limit_change (org_key, user_email, run_id, requested_at)
      select 1, 'ann@example.com', run_id, now() - $2 * interval '1 day' from run
    )
    insert into etl.check_result (run_id, org_key, check_name, verdict, checked_at)
    select run_id, 1, $1, 'ok', now() - $2 * interval '1 day' from run`,
    [job, daysOld],
  );
}
