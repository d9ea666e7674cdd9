/** Metrics of the queue. Names and labels are a public interface. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { type JobOutcome, jobOutcomes, type QueueTask, queueTasks } from '../model/queue-job.ts';

/** The jobs of the queue now. */
interface QueueStanding {
  readonly jobs: Readonly<Record<string, number>>;
  readonly oldestDueSeconds: number;
}

/** Counts and measures the queue. */
export interface QueueMetrics {
  /** Counts a job that this process had. */
  count(task: QueueTask, outcome: JobOutcome): void;
  set(standing: QueueStanding): void;
}

/** Registers the metrics. */
export function openQueueMetrics(registry: Registry): QueueMetrics {
  const registers = [registry];
  const jobs = new Gauge({
    name: 'usage_etl_queue_jobs',
    help: 'Jobs in the queue: due, waiting for a later time, running, or failed for good.',
    labelNames: ['state'],
    registers,
  });
  const oldestDue = new Gauge({
    name: 'usage_etl_queue_oldest_due_seconds',
    help: 'For how long the job that waits longest for a worker has been due; 0 without one.',
    registers,
  });
  const done = new Counter({
    name: 'usage_etl_jobs_total',
    help: 'Jobs that this worker had, by what became of them.',
    labelNames: ['task', 'outcome'],
    registers,
  });
  for (const task of queueTasks) for (const outcome of jobOutcomes) done.inc({ task, outcome }, 0);
  return {
    count: (task, outcome) => done.inc({ task, outcome }),
    set(standing) {
      for (const [state, count] of Object.entries(standing.jobs)) jobs.set({ state }, count);
      oldestDue.set(standing.oldestDueSeconds);
    },
  };
}
