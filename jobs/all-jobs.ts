/**
 * All jobs by name, except `completion`, which imports this file. The file of a job is loaded only when the job is
 * called, so that the program starts quickly. Help and documents list the jobs in this order.
 */
import type { Job, JobFamily } from './job.ts';

export const jobs: Readonly<Record<string, () => Promise<{ job: Job | JobFamily }>>> = {
  migrate: () => import('./migrate.ts'),
  nightly: () => import('./nightly.ts'),
  backfill: () => import('./backfill.ts'),
  replay: () => import('./replay.ts'),
  verify: () => import('./verify.ts'),
  status: () => import('./status.ts'),
  doctor: () => import('./doctor.ts'),
  schedule: () => import('./schedule.ts'),
  enqueue: () => import('./enqueue.ts'),
  worker: () => import('./worker.ts'),
  limits: () => import('./limits.ts'),
  computers: () => import('./computers.ts'),
  sessions: () => import('./sessions.ts'),
  people: () => import('./people.ts'),
  prices: () => import('./prices.ts'),
  report: () => import('./report.ts'),
  'forget-user': () => import('./forget-user.ts'),
  maintenance: () => import('./maintenance.ts'),
  simulate: () => import('./simulate.ts'),
  demo: () => import('./demo.ts'),
  db: () => import('./db.ts'),
};
