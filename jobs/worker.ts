import type { JobOutcome, QueueTask } from '../src/model/queue-job.ts';
import { workQueue } from '../src/pipeline/queue/work-queue.ts';
import { counted } from '../src/reporting/number-text.ts';
import { runJobFile } from './command-line.ts';
import { organizationsOf } from './enqueue.ts';
import type { Job, JobContext, JobResult } from './job.ts';
import { readSettings } from './settings.ts';
import { watched } from './watched.ts';

/** Stays up, and does the jobs that enqueue and schedule --enqueue order. */
export const job: Job = {
  name: 'worker',
  description: 'stays up and works on the jobs of enqueue and schedule --enqueue',
  example: 'worker',
  needsPlatform: true,
  staysUp: true,
  prepare: () => async (context) => {
    organizationsOf(context, 'worker');
    return await watched(context, { usesQueue: true }, (watchedContext, { onJob }) =>
      work(watchedContext, onJob),
    );
  },
};

async function work(
  context: JobContext,
  onJob: (task: QueueTask, outcome: JobOutcome) => void,
): Promise<JobResult> {
  const { config, log } = context;
  const counts = await workQueue(context, {
    concurrency: config.workerConcurrency,
    // Without a new log: it would read the keys of all organizations for each job.
    readSettings: async () => ({ ...context, config: await readSettings({ needsPlatform: true }) }),
    onJob,
    onReady: async () => log.info({ jobs_at_once: config.workerConcurrency }, 'taking jobs from the queue'),
  });
  const { done, failed, again, returned } = counts;
  return {
    json: { jobs: counts },
    text: `Ended after ${counted(done, 'job')}; ${failed} failed, ${again} were tried later, ${returned} were given back.`,
  };
}

if (import.meta.main) void runJobFile(job);
