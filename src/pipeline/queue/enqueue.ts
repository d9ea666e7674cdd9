/** Orders jobs: `enqueue`, and `schedule --enqueue`. Asks the platform nothing. */
import type pg from 'pg';
import { type Day, earliestDay } from '../../model/day.ts';
import { withTransaction } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners } from '../../warehouse/connection/foreign-owners.ts';
import { type AddedJobs, addJobs, deleteEndedBefore, type JobToAdd } from '../../warehouse/queue/add-jobs.ts';
import { refuseUnusableQueue } from '../../warehouse/queue/queue-schema.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';
import { nightlyJobs, nightlyKey } from './orders.ts';

/** Adds jobs to the queue. Throws `ConfigurationError` if the database or its queue cannot be used. */
export function enqueue(surroundings: JobSurroundings, jobs: readonly JobToAdd[]): Promise<AddedJobs> {
  return withWarehouse(surroundings, 'writes', ({ warehouse: { pool } }) =>
    inQueue(pool, (client) => addJobs(client, jobs)),
  );
}

/** Orders a night for these organizations. Throws as `enqueue`. */
export function enqueueNight(
  surroundings: JobSurroundings,
  names: readonly string[],
  night: Day,
): Promise<AddedJobs> {
  return withWarehouse(surroundings, 'writes', ({ warehouse: { pool } }) => addNight(pool, names, night));
}

/** The same in a warehouse that is open. Jobs of older nights that ended go: this night fills their gaps. */
export function addNight(pool: pg.Pool, names: readonly string[], night: Day): Promise<AddedJobs> {
  return inQueue(pool, async (client) => {
    const added = await addJobs(client, nightlyJobs(names, night));
    await deleteEndedBefore(
      client,
      names.map((name) => ({
        firstKey: nightlyKey(name, earliestDay),
        beforeKey: nightlyKey(name, night),
      })),
    );
    return added;
  });
}

function inQueue<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  return withTransaction(pool, async ({ client }) => {
    await refuseUnusableQueue(client, await refuseForeignOwners(client));
    return await work(client);
  });
}
