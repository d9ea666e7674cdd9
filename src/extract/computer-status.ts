/** Waits until a computer is ready or has failed (platform-api.md §3; the transitions are not documented). */
import { setTimeout as delay } from 'node:timers/promises';
import { explain, RequestFailedError, UnexpectedAnswerError } from '../model/errors.ts';
import type { AnsweredComputer } from '../model/platform/computers.ts';
import type { ComputersClient } from './computers-client.ts';

/** Statuses that end the wait. With any other status, documented or not, the wait goes on. */
const finalStatuses = new Set(['active', 'error']);

/** Options of a wait. */
export interface Wait {
  /** The computer in the platform's last answer. */
  readonly computer: AnsweredComputer;
  /**
   * The computer before a change was requested: an answer like this may mean that the change has not begun yet. Undefined
   * without a change: then the first final status ends the wait.
   */
  readonly before?: AnsweredComputer | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Called for each new status. */
  readonly onStatus?: (computer: AnsweredComputer) => void;
  /** Milliseconds between the first two requests; the interval grows. */
  readonly intervalMs?: number;
  /** Milliseconds in which a final status in an answer like `before` does not end the wait. */
  readonly graceMs?: number;
}

/** The end of a wait: a final status, or the last status and a problem. */
export interface Waited {
  readonly computer: AnsweredComputer;
  /** Why there is no final status; undefined when there is one. */
  readonly problem?: string;
}

const firstIntervalMs = 1_000;
const longestIntervalMs = 10_000;
const growth = 1.5;
/** The platform may answer before it begins the change: so long the old status may be shown. */
const defaultGraceMs = 5_000;

/**
 * Requests a computer again and again until its status is final, the time is over, or it no longer exists. A failed
 * request is repeated later. Throws `CredentialsRefusedError`, and the reason of `signal` when it aborts.
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
      if (answered === undefined) return { computer: latest, problem: 'it no longer exists on the platform' };
      if (answered.status !== latest.status) onStatus?.(answered);
      latest = answered;
      trouble = '';
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return { computer: latest, problem: overdue(latest, timeoutMs, trouble) };
      if (!(error instanceof RequestFailedError || error instanceof UnexpectedAnswerError)) throw error;
      trouble = `; the last request failed: ${explain(error)}`;
    }
    interval = Math.min(longestIntervalMs, interval * growth);
  }
  return { computer: latest };
}

/** Whether status or steps of a computer differ between two answers. */
export function hasMoved(before: AnsweredComputer, after: AnsweredComputer): boolean {
  return progressOf(before) !== progressOf(after);
}

function progressOf({ status, provisioningSteps }: AnsweredComputer): string {
  return JSON.stringify([status, provisioningSteps]);
}

/**
 * The result of the request `question`. Rejects as soon as `ended` aborts, so that we do not wait for a hanging platform.
 */
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
