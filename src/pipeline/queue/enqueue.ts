/** Orders jobs: `enqueue`, and `schedule --enqueue`. Asks the platform nothing. */
import type pg from 'pg';
import { withTransaction } from '../../warehouse/connection/connection.ts';
import { refuseForeignOwners } from '../../warehouse/connection/foreign-owners.ts';
import { type AddedJobs, addJobs, type JobToAdd } from '../../warehouse/queue/add-jobs.ts';
import { refuseUnusableQueue } from '../../warehouse/queue/queue-schema.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';

/** Adds jobs to the queue. Throws `ConfigurationError` if the database or its queue cannot be used. */
export function enqueue(surroundings: JobSurroundings, jobs: readonly JobToAdd[]): Promise<AddedJobs> {
  return withWarehouse(surroundings, 'writes', ({ warehouse: { pool } }) => addToQueue(pool, jobs));
}

/** The same in a warehouse that is open. */
export function addToQueue(pool: pg.Pool, jobs: readonly JobToAdd[]): Promise<AddedJobs> {
  return withTransaction(pool, async ({ client }) => {
    await refuseUnusableQueue(client, await refuseForeignOwners(client));
    return await addJobs(client, jobs);
  });
}
