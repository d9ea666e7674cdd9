/** Delivers a message to an address that the operator named. It never fails: whoever waits for it gets the reason. */
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../model/error-code.ts';
import type { MessageAddress } from '../model/message-addresses.ts';
import { defaultTiming } from '../model/timing.ts';
import { userAgent } from '../model/version.ts';
import { createDispatcher, receive } from './attempt.ts';
import { AttemptError } from './attempt-error.ts';

const maxResponseBytes = 1024 * 1024;
const mostAttempts = 3;

/** Times of a delivery, in ms. */
export interface DeliveryTimes {
  /** For one attempt, from the look-up of the name to the last byte of the answer. */
  readonly attemptMs: number;
  readonly betweenAttemptsMs: number;
  /** On the clock of `performance.now()`: what is under way then is given up, and nothing is begun after it. */
  readonly deadline: number;
}

/** The times of a delivery that must be over in `withinMs`. */
export function deliveryTimes(withinMs: number, timing = defaultTiming): DeliveryTimes {
  const { deliveryAttemptMs: attemptMs, betweenDeliveriesMs: betweenAttemptsMs } = timing;
  return { attemptMs, betweenAttemptsMs, deadline: performance.now() + withinMs };
}

/**
 * Sends `message` as JSON by POST, or nothing by GET where there is none. Delivered is what is answered by a 2xx in the
 * time of an attempt; there are at most three of them before the deadline, and redirects are not followed. Returns why it
 * was not delivered, without the address or what the other side says; undefined when it was.
 */
export async function deliver(
  { url }: MessageAddress,
  message: object | undefined,
  signal: AbortSignal,
  { attemptMs, betweenAttemptsMs, deadline }: DeliveryTimes,
): Promise<string | undefined> {
  if (signal.aborted) return 'it was given up';
  const headers = { 'user-agent': userAgent, ...(message && { 'content-type': 'application/json' }) };
  const method = message === undefined ? 'GET' : 'POST';
  const request = { method, url, headers, body: message && JSON.stringify(message) } as const;
  let problem: string | undefined = 'there was no time left for it';
  for (let attempt = 1; attempt <= mostAttempts && !signal.aborted; attempt++) {
    if (attempt > 1) await delay(betweenAttemptsMs, undefined, { signal }).catch(() => undefined);
    const leftMs = Math.floor(deadline - performance.now());
    if (leftMs <= 0 || signal.aborted) break;
    const requestTimeoutMs = Math.min(attemptMs, leftMs);
    // A connection that does not come about would be waited for by the next attempt, and by the end of the process.
    const dispatcher = createDispatcher(url, 1, requestTimeoutMs);
    problem = await receive(request, { requestTimeoutMs, maxResponseBytes }, dispatcher, signal)
      .then(
        ({ statusCode }) => (statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`),
        inWords,
      )
      .finally(() => dispatcher.destroy());
    if (problem === undefined) return undefined;
  }
  return problem;
}

/** An error of the connection quotes the address, which is a secret. */
function inWords(error: unknown): string {
  if (error instanceof AttemptError) return error.message;
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined);
  return `the connection failed${code === undefined ? '' : ` (${code})`}`;
}
