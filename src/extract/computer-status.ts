/** Following a computer until it is ready or has failed (platform-api.md §3: the transitions are not documented). */
import { setTimeout as delay } from 'node:timers/promises';
import { explain, RequestFailedError, UnexpectedAnswerError } from '../model/errors.ts';
import type { AnsweredComputer } from '../model/platform/computers.ts';
import type { ComputersClient } from './computers-client.ts';

/** Statuses in which nothing more is to come. Any other is waited for, also one that is not documented. */
const finalStatuses = new Set(['active', 'error']);

/** What is waited for. */
export interface Wait {
  /** As it was answered last. */
  readonly computer: AnsweredComputer;
  /**
   * As it was before something was begun on it: while it says the same, that may not have begun yet. Undefined for a
   * computer whose status is believed at once.
   */
  readonly before?: AnsweredComputer | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Hears of each status that is another than the one before. */
  readonly onStatus?: (computer: AnsweredComputer) => void;
  /** Between the first two questions, in milliseconds; it grows. */
  readonly intervalMs?: number;
  /** How long a computer that says the same as before is not believed. */
  readonly graceMs?: number;
}

/** How a wait ended: with a final status, or with what was seen last, and why it is not known further. */
export interface Waited {
  readonly computer: AnsweredComputer;
  /** Undefined with a final status. */
  readonly problem?: string;
}

const firstIntervalMs = 1_000;
const longestIntervalMs = 10_000;
const growth = 1.5;
/** For a platform that answers before it begins. */
const defaultGraceMs = 5_000;

/**
 * Asks for a computer again and again until its status is final, the time is over, or it is gone. A question that fails
 * is asked again later. Throws `CredentialsRefusedError`, and the reason of `signal` when it aborts.
 */
export async function followStatus(
  client: Pick<ComputersClient, 'byId'>,
  { computer, before, timeoutMs, signal, onStatus, intervalMs, graceMs = defaultGraceMs }: Wait,
): Promise<Waited> {
  const started = performance.now();
  const deadline = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([signal, deadline]);
  let latest = computer;
  let trouble = '';
  const isFinal = () => {
    if (!finalStatuses.has(latest.status ?? '')) return false;
    return before === undefined || hasMoved(before, latest) || performance.now() - started >= graceMs;
  };
  for (let interval = intervalMs ?? firstIntervalMs; !isFinal(); ) {
    try {
      await delay(interval, undefined, { signal: ended });
      const answered = await unlessEnded(client.byId(latest.id), ended);
      if (answered === undefined)
        return { computer: latest, problem: 'the platform does not know it any more' };
      if (answered.status !== latest.status) onStatus?.(answered);
      latest = answered;
      trouble = '';
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return { computer: latest, problem: overdue(latest, timeoutMs, trouble) };
      if (!(error instanceof RequestFailedError || error instanceof UnexpectedAnswerError)) throw error;
      trouble = `; the last question failed: ${explain(error)}`;
    }
    interval = Math.min(longestIntervalMs, interval * growth);
  }
  return { computer: latest };
}

/** Whether something has begun or ended on a computer from one answer to the next. */
export function hasMoved(before: AnsweredComputer, after: AnsweredComputer): boolean {
  return progressOf(before) !== progressOf(after);
}

function progressOf({ status, provisioningSteps }: AnsweredComputer): string {
  return JSON.stringify([status, provisioningSteps]);
}

/** The question's answer, or a rejection as soon as `ended` aborts: a platform that hangs is not waited for. */
function unlessEnded<Answer>(question: Promise<Answer>, ended: AbortSignal): Promise<Answer> {
  const { promise, reject } = Promise.withResolvers<never>();
  const end = () => reject(ended.reason);
  if (ended.aborted) end();
  ended.addEventListener('abort', end);
  return Promise.race([question, promise]).finally(() => ended.removeEventListener('abort', end));
}

function overdue({ status }: AnsweredComputer, timeoutMs: number, trouble: string): string {
  const said = status ?? 'without a status';
  return `it was neither active nor in error after ${timeoutMs / 1000} s, but ${said}${trouble}`;
}
