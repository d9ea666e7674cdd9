/** Delivers a message to a configured address. It never throws, but returns the reason of a failure. */
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../model/error-code.ts';
import type { MessageAddress } from '../model/message-addresses.ts';
import { defaultTiming } from '../model/timing.ts';
import { userAgent } from '../model/version.ts';
import { AttemptError } from './attempt-error.ts';
import { createDispatcher, sendRequest } from './http-exchange.ts';

const maxResponseBytes = 1024 * 1024;
const mostAttempts = 3;

/** Time limits of a delivery, in ms. */
export interface DeliveryTimes {
  /** Time limit of one attempt, from the name look-up to the last byte of the answer. */
  readonly attemptMs: number;
  readonly betweenAttemptsMs: number;
  /** A time in ms of `performance.now()`: a running attempt is ended then, and no attempt begins later. */
  readonly deadline: number;
}

/** The time limits of a delivery that must end after `withinMs`. */
export function deliveryTimes(withinMs: number, timing = defaultTiming): DeliveryTimes {
  const { deliveryAttemptMs: attemptMs, betweenDeliveriesMs: betweenAttemptsMs } = timing;
  return { attemptMs, betweenAttemptsMs, deadline: performance.now() + withinMs };
}

/**
 * Sends `message` as JSON by POST, or a GET without a message. A 2xx answer counts as delivered; redirects are not
 * followed. Makes at most three attempts before the deadline. Returns why the delivery failed, without the address and
 * the text of the answer; undefined when it succeeded.
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
  let problem: string | undefined = 'no time was left';
  for (let attempt = 1; attempt <= mostAttempts && !signal.aborted; attempt++) {
    if (attempt > 1) await delay(betweenAttemptsMs, undefined, { signal }).catch(() => undefined);
    const leftMs = Math.floor(deadline - performance.now());
    if (leftMs <= 0 || signal.aborted) break;
    const requestTimeoutMs = Math.min(attemptMs, leftMs);
    // Connecting has the same time limit: a hanging connection would delay the next attempt and the end of the process.
    const dispatcher = createDispatcher(url, 1, requestTimeoutMs);
    problem = await sendRequest(request, { requestTimeoutMs, maxResponseBytes }, dispatcher, signal)
      .then(
        ({ statusCode }) => (statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`),
        inWords,
      )
      .finally(() => dispatcher.destroy());
    if (problem === undefined) return undefined;
  }
  return problem;
}

/** The error without the address, which is a secret: the message of a connection error contains it. */
function inWords(error: unknown): string {
  if (error instanceof AttemptError) return error.message;
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined);
  return `the connection failed${code === undefined ? '' : ` (${code})`}`;
}
