/** Decides what becomes of a job that a worker had. Pure functions. */
import { ConfigurationError, CredentialsRefusedError, LockHeldError } from '../../model/errors.ts';
import type { JobOutcome, QueueJob } from '../../model/queue-job.ts';
import type { Settlement } from '../../warehouse/queue/settle-job.ts';
import type { JobEnd } from './perform-job.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const dayMs = 24 * 60 * minuteMs;

/** A backfill that failed is due again after these times; then it ends. */
const betweenBackfillsMs: readonly number[] = [minuteMs, 5 * minuteMs, 30 * minuteMs];
/** Somebody works on the organization by hand. */
const whileLockedMs = 30 * secondMs;
/** Shortest and longest time until a worker looks again whether its file has an organization. */
const [leastMissingMs, mostMissingMs] = [secondMs, minuteMs];
/** A job whose organization no worker knows ends after so long. */
const longestMissingMs = dayMs;

/** What becomes of a job that was worked on; `isStopping`: the worker was told to end. */
export function afterWork(job: QueueJob, { error, reason }: JobEnd, isStopping: boolean): Settlement {
  if (reason === undefined) return { becomes: 'deleted' };
  if (isStopping) return { becomes: 'returned', afterMs: 0 };
  if (error instanceof LockHeldError) return { becomes: 'returned', afterMs: whileLockedMs };
  const isFinal =
    job.task === 'nightly' || error instanceof ConfigurationError || error instanceof CredentialsRefusedError;
  if (isFinal) return { becomes: 'ended', reason };
  const { missing_since: _, failures, ...payload } = job.payload;
  const afterMs = betweenBackfillsMs[failures];
  if (afterMs === undefined) return { becomes: 'ended', reason };
  return { becomes: 'due', afterMs, reason, payload: { ...payload, failures: failures + 1 } };
}

/**
 * What becomes of a job whose organization is not in this worker's file: others may have it, so the job is due again soon,
 * and later less often.
 */
export function whileMissing({ payload }: QueueJob, nowMs: number): Settlement {
  const { organization, missing_since = nowMs } = payload;
  const missingMs = Math.max(0, nowMs - missing_since);
  if (missingMs >= longestMissingMs)
    return {
      becomes: 'ended',
      reason: `no worker has had ${organization} in its ORGANIZATIONS_FILE for a day; add it there, and order the job again`,
    };
  const afterMs = Math.min(mostMissingMs, Math.max(leastMissingMs, missingMs));
  return { becomes: 'returned', afterMs, payload: { ...payload, missing_since } };
}

/** The outcome that metrics count. */
export function outcomeOf({ becomes }: Settlement): JobOutcome {
  switch (becomes) {
    case 'deleted':
      return 'done';
    case 'ended':
      return 'failed';
    case 'due':
      return 'again';
    case 'returned':
      return 'returned';
  }
}
