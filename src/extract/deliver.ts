/** Delivers a message to an address that the operator named. It never fails: whoever waits for it gets the reason. */
import { setTimeout as delay } from 'node:timers/promises';
import { codeOf } from '../model/error-code.ts';
import type { MessageAddress } from '../model/message-addresses.ts';
import { userAgent } from '../model/version.ts';
import { createDispatcher, receive } from './attempt.ts';
import { AttemptError } from './attempt-error.ts';

const limits = { requestTimeoutMs: 5_000, maxResponseBytes: 1024 * 1024 };
const mostAttempts = 3;
const betweenAttemptsMs = 500;

/** What three attempts take at most, in milliseconds. */
export const longestDeliveryMs =
  mostAttempts * limits.requestTimeoutMs + (mostAttempts - 1) * betweenAttemptsMs;

/**
 * Sends `message` as JSON by POST, or nothing by GET where there is none. Delivered is what is answered by a 2xx within
 * 5 s; there are at most three attempts, and redirects are not followed. Returns why it was not delivered, without the
 * address or what the other side says; undefined when it was.
 */
export async function deliver(
  { url }: MessageAddress,
  message: object | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return 'it was given up';
  const dispatcher = createDispatcher(url, 1);
  const headers = { 'user-agent': userAgent, ...(message && { 'content-type': 'application/json' }) };
  const method = message === undefined ? 'GET' : 'POST';
  const request = { method, url, headers, body: message && JSON.stringify(message) } as const;
  try {
    for (let attempt = 1; ; attempt++) {
      const problem = await receive(request, limits, dispatcher, signal).then(
        ({ statusCode }) => (statusCode >= 200 && statusCode < 300 ? undefined : `it answered ${statusCode}`),
        inWords,
      );
      if (problem === undefined || attempt === mostAttempts || signal.aborted) return problem;
      await delay(betweenAttemptsMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await dispatcher.destroy();
  }
}

/** An error of the connection quotes the address, which is a secret. */
function inWords(error: unknown): string {
  if (error instanceof AttemptError) return error.message;
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined);
  return `the connection failed${code === undefined ? '' : ` (${code})`}`;
}
