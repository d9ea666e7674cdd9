/** Adds jobs to the queue: each job once, however often and by however many processes it is ordered. */
import type pg from 'pg';

/** A job to add. */
export interface JobToAdd {
  /** The name of its task. */
  readonly task: string;
  /** Two jobs with one key are the same job. */
  readonly key: string;
  /** The organization: jobs of one queue never run at the same time. */
  readonly queue: string;
  /** Smaller numbers go first: 0 to 32767. */
  readonly priority: number;
  /** A later order may widen `from`, `to`, `asks_from` and `force`. */
  readonly payload: Readonly<Record<string, unknown>>;
}

/** What became of an order. */
export interface AddedJobs {
  /** Jobs that were added, and jobs that had failed and are due now. */
  readonly enqueued: number;
  /** Jobs that waited or ran already. */
  readonly alreadyQueued: number;
}

/**
 * A kill counts as an attempt of the library. With its default of 25 a job that was often killed would end; with more than
 * 32,767 the column is too small.
 */
const mostAttempts = 30_000;

/** Jobs per statement. */
const jobsAtOnce = 5_000;

/**
 * Adds the jobs that are not there, within the open transaction. A job that waits or runs stays; if the new order has more
 * days, the job gets them, too. A job that has failed is due now, and all its attempts count anew.
 */
export async function addJobs(client: pg.ClientBase, jobs: readonly JobToAdd[]): Promise<AddedJobs> {
  await lockOrders(client, [...new Set(jobs.map(({ task }) => task))]);
  const added = { enqueued: 0, alreadyQueued: 0 };
  for (let start = 0; start < jobs.length; start += jobsAtOnce) {
    const some = jobs.slice(start, start + jobsAtOnce);
    const known = await readKnown(client, some);
    const fresh = some.filter(({ key }) => !known.has(key));
    const failed = some.filter(({ key }) => known.get(key) === true);
    const waiting = some.filter(({ key }) => known.get(key) === false);
    if (fresh.length > 0) await insertJobs(client, fresh);
    if (failed.length > 0) await makeDue(client, failed);
    if (waiting.length > 0) await widen(client, waiting);
    added.enqueued += fresh.length + failed.length;
    added.alreadyQueued += waiting.length;
  }
  return added;
}

/**
 * Two orders at the same time wait for each other: each reads first and adds then. They lock rows, not an advisory lock,
 * which any role could hold.
 */
async function lockOrders(client: pg.ClientBase, tasks: readonly string[]): Promise<void> {
  await client.query(
    'insert into etl_queue._private_tasks (identifier) select * from unnest($1::text[]) on conflict do nothing',
    [tasks],
  );
  await client.query(
    'select from etl_queue._private_tasks where identifier = any ($1) order by identifier for update',
    [tasks],
  );
}

/** By the key of each job that is there: whether it has failed before and does not run. */
async function readKnown(
  client: pg.ClientBase,
  jobs: readonly JobToAdd[],
): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await client.query<{ key: string; has_failed: boolean }>(
    `select
      job.key,
      job.locked_at is null and (job.last_error is not null or job.attempts >= job.max_attempts) as has_failed
    from etl_queue._private_jobs as job
    where job.key = any ($1)
    order by job.id
    for update`,
    [jobs.map(({ key }) => key)],
  );
  return new Map(rows.map(({ key, has_failed }) => [key, has_failed]));
}

async function insertJobs(client: pg.ClientBase, jobs: readonly JobToAdd[]): Promise<void> {
  await client.query(
    `select from etl_queue.add_jobs(array(
      select (
        wanted.task, wanted.payload, wanted.queue, null, ${mostAttempts}, wanted.key, wanted.priority, null
      )::etl_queue.job_spec
      from json_to_recordset($1::json)
        as wanted (task text, payload json, queue text, key text, priority smallint)
    ))`,
    [JSON.stringify(jobs)],
  );
}

async function makeDue(client: pg.ClientBase, jobs: readonly JobToAdd[]): Promise<void> {
  await client.query(
    `update etl_queue._private_jobs as job
    set
      payload = wanted.payload,
      priority = wanted.priority,
      run_at = now(),
      attempts = 0,
      last_error = null,
      revision = job.revision + 1,
      updated_at = now()
    from json_to_recordset($1::json) as wanted (key text, payload json, priority smallint)
    where job.key = wanted.key`,
    [JSON.stringify(jobs)],
  );
}

/**
 * The worker of a running job sees by the revision that there is more to do, and leaves the job due. Payloads with escapes are
 * not ours, and some of them Postgres cannot read.
 */
async function widen(client: pg.ClientBase, jobs: readonly JobToAdd[]): Promise<void> {
  await client.query(
    `update etl_queue._private_jobs as job
    set
      payload = (
        known.payload || jsonb_strip_nulls(jsonb_build_object(
          'from', least(known.payload ->> 'from', wanted.payload ->> 'from'),
          'to', greatest(known.payload ->> 'to', wanted.payload ->> 'to'),
          'asks_from', least(known.payload ->> 'asks_from', wanted.payload ->> 'asks_from'),
          'force', case when wanted.payload ->> 'force' = 'true' then true end
        ))
      )::json,
      revision = job.revision + 1,
      updated_at = now()
    from json_to_recordset($1::json) as wanted (key text, payload json)
    join etl_queue._private_jobs as same on same.key = wanted.key
    cross join lateral (
      select case when position('\\u' in same.payload::text) = 0 then same.payload::jsonb end as payload
    ) as known
    where job.id = same.id
      and jsonb_typeof(known.payload) = 'object'
      and (
        wanted.payload ->> 'from' < known.payload ->> 'from'
        or wanted.payload ->> 'to' > known.payload ->> 'to'
        or wanted.payload ->> 'asks_from' < known.payload ->> 'asks_from'
        or (wanted.payload ->> 'force' = 'true' and known.payload ->> 'force' is distinct from 'true')
      )`,
    [JSON.stringify(jobs)],
  );
}

/** Deletes the jobs that ended with a reason and whose keys are those of an older day. */
export async function deleteEndedBefore(
  client: pg.ClientBase,
  jobs: readonly { readonly firstKey: string; readonly beforeKey: string }[],
): Promise<void> {
  await client.query(
    `delete from etl_queue._private_jobs as job
    using json_to_recordset($1::json) as older ("firstKey" text, "beforeKey" text)
    where job.key collate "C" >= older."firstKey" collate "C"
      and job.key collate "C" < older."beforeKey" collate "C"
      and job.locked_at is null
      and job.attempts >= job.max_attempts`,
    [JSON.stringify(jobs)],
  );
}
