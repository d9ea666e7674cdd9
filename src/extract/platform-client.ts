/** The client of the platform. Every request goes through it: it adds the credential, keeps the rate budget, and retries. */
import { setTimeout as delay } from 'node:timers/promises';
import { explain } from '../model/errors.ts';
import { ForgottenPersons } from '../model/forgotten-persons.ts';
import type { AttemptStatus, RequestCounts, RunEvent } from '../model/run.ts';
import { createSanitizer } from '../model/sanitize.ts';
import type { Timing } from '../model/timing.ts';
import { withoutEmails } from '../model/withheld-emails.ts';
import type { ApiRequest, RequestOptions } from './api-request.ts';
import { acceptEncoding, attempt, notJson } from './attempt.ts';
import { AttemptError } from './attempt-error.ts';
import { type AttemptLimits, createDispatcher, type HttpRequest } from './http-exchange.ts';
import { createRateBudget, type RateBudget, type RateLimits } from './rate-budget.ts';
import { addressOf, credentialDigest } from './request-address.ts';
import { credentialsRefused, requestFailed, requestNotSent } from './request-failure.ts';
import { backoffMs, retryAfterMs } from './retry-after.ts';

/** Options of the client. */
export interface PlatformClientOptions extends RateLimits, AttemptLimits {
  readonly baseUrl: URL;
  /** Name of the setting with the base URL, for messages; default `API_BASE_URL`. */
  readonly baseUrlVariable?: string;
  readonly apiKey: string;
  /** The setting that has the key, for messages; by default both settings that may have it are named. */
  readonly apiKeyPlace?: string;
  readonly userAgent: string;
  /** Most attempts of a request after the first. */
  readonly maxRetries: number;
  /** Whether e-mail addresses are removed from answers (`USER_EMAIL=none`). */
  readonly withholdsEmails?: boolean;
  /** Forgotten persons, who must not appear in logs and errors; default none. */
  readonly persons?: ForgottenPersons;
  /** When it aborts, every wait and every request ends. */
  readonly signal: AbortSignal;
  readonly timing?: Timing | undefined;
  /** Counters of requests; by default new ones. */
  readonly counts?: RequestCounts;
  /** Called after every attempt, and before the wait of every retry. */
  readonly onEvent?: (event: ClientEvent) => void;
}

/** Events of a client. */
export type ClientEvent = Extract<RunEvent, { type: 'retry' | 'attempt-ended' | 'budget-waited' }>;

/** A client of one platform with one credential. */
export interface PlatformClient {
  /**
   * GETs `path` below the base URL and returns the result of `open` for the body. When `open` throws `SyntaxError`, the
   * request is repeated. Throws `CredentialsRefusedError` on 401 and 403 (platform-api.md §5), `RequestFailedError`
   * when no attempt brought a JSON answer, and other errors of `open`.
   */
  get<Opened>(
    path: string,
    query: Readonly<Record<string, string>>,
    open: (body: Buffer) => Opened,
    requestOptions?: RequestOptions,
  ): Promise<Opened>;
  /**
   * Like `get`, for any method. A request that is not repeatable is not sent again when its answer is lost: the caller
   * must look up the result.
   */
  send<Opened>(
    request: ApiRequest,
    open: (body: Buffer) => Opened,
    requestOptions?: RequestOptions,
  ): Promise<Opened>;
  /**
   * A client for another host of the platform, whose address is in the setting `variable`. Both clients share credential,
   * rate budget and counters. Closing this client also closes the returned client.
   */
  at(baseUrl: URL, variable: string): PlatformClient;
  /** Digest of address and credential. The ledger uses it to recognize the organization. */
  readonly credential: Buffer;
  readonly counts: RequestCounts;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * The longest wait that the platform may ask for. If it asks for a longer one, the slice and all slices after it fail;
 * the next run reads them.
 */
const longestWaitMs = 60 * 60 * 1000;

/** Shared by the clients of all hosts of a platform. */
interface Shared {
  readonly budget: RateBudget;
  readonly counts: RequestCounts;
}

/** Opens a client; no request is sent yet. */
export function createPlatformClient(
  options: PlatformClientOptions,
  shared: Shared = {
    budget: createRateBudget(options),
    counts: options.counts ?? { sent: 0, retried: 0 },
  },
): PlatformClient {
  const { budget, counts } = shared;
  const { persons = new ForgottenPersons() } = options;
  const others: PlatformClient[] = [];
  const dispatcher = createDispatcher(options.baseUrl, options.maxConcurrency);
  // Of all secrets the platform knows only the key. It may repeat the key in any text.
  const rules = { ...options, sanitize: persons.behind(createSanitizer([options.apiKey])) };
  /** Set when the platform asks for a wait longer than `longestWaitMs`: until `untilMs` no request is sent. */
  let closed: { readonly untilMs: number; readonly error: AttemptError } | undefined;
  const headers = {
    authorization: `Bearer ${options.apiKey}`,
    accept: 'application/json',
    'accept-encoding': acceptEncoding,
    'user-agent': options.userAgent,
  };

  async function send<Opened>(
    request: ApiRequest,
    open: (body: Buffer) => Opened,
    requestOptions: RequestOptions = {},
  ): Promise<Opened> {
    const httpRequest = httpRequestOf(request);
    const rulesOfRequest = { ...rules, withholdsWords: requestOptions.withholdsWords === true };
    for (let retry = 0; ; retry++) {
      let waitMs = 0;
      const askedAt = performance.now();
      try {
        const answer = await budget.run(async () => {
          if (closed !== undefined && Date.now() < closed.untilMs)
            throw requestNotSent(request, closed.error, retry);
          const beganAt = performance.now();
          options.onEvent?.({ type: 'budget-waited', waitedMs: beganAt - askedAt });
          counts.sent += 1;
          if (retry > 0) counts.retried += 1;
          let status: AttemptStatus = 'network';
          try {
            const answered = await attempt(httpRequest, rulesOfRequest, dispatcher, options.signal);
            const { body } = answered;
            status = answered.status;
            return openJson(options.withholdsEmails === true ? withheld(body) : body, open);
          } catch (error) {
            // Computed within the task: a 429 must pause the budget before it starts the next request.
            if (error instanceof AttemptError) {
              waitMs = waitAfter(error, retry + 1);
              status = error.status ?? (error.isTimeout ? 'timeout' : 'network');
            }
            throw error;
          } finally {
            options.onEvent?.({
              type: 'attempt-ended',
              purpose: requestOptions.purpose,
              method: request.method,
              path: httpRequest.url.pathname,
              status,
              retry,
              durationMs: performance.now() - beganAt,
            });
          }
        }, options.signal);
        budget.succeeded();
        return answer;
      } catch (error) {
        options.signal.throwIfAborted();
        if (!(error instanceof AttemptError)) throw error;
        await prepareRetry(error, retry + 1, waitMs, request, requestOptions);
      }
    }
  }

  /** Milliseconds to wait before retry number `retry`. A 429 also pauses all other requests. */
  function waitAfter(error: AttemptError, retry: number): number {
    // Wait for the backoff at least: with `Retry-After: 0` all attempts would be used up at once.
    const waitMs = Math.max(
      retryAfterMs(error.retryAfter, Date.now()) ?? 0,
      backoffMs(retry, options.timing),
    );
    // The platform throttles the credential, not the request: all requests wait, even if this request is not retried.
    if (error.status === 429 && waitMs <= longestWaitMs) budget.pauseFor(waitMs);
    else if (error.status === 429) closed = { untilMs: Date.now() + waitMs, error };
    return waitMs;
  }

  async function prepareRetry(
    error: AttemptError,
    retry: number,
    waitMs: number,
    request: ApiRequest,
    requestOptions: RequestOptions,
  ): Promise<void> {
    if (error.status === 401 || error.status === 403) {
      const { apiKeyPlace = 'API_KEY or API_KEY_FILE' } = options;
      throw credentialsRefused(request, error.status, error, apiKeyPlace);
    }
    const isSafe = request.isRepeatable || error.status === 429;
    if (!error.retryable || !isSafe) throw requestFailed(request, error, retry);
    const mostRetries = Math.min(
      options.maxRetries,
      requestOptions.maxRetries ?? options.maxRetries,
      (error.smallerMayWork ? requestOptions.maxRetriesIfTooLarge : undefined) ?? options.maxRetries,
    );
    if (retry > mostRetries || waitMs > longestWaitMs) throw requestFailed(request, error, retry);
    options.onEvent?.({ type: 'retry', path: request.path, retry, waitMs, reason: explain(error) });
    if (error.status !== 429) await delay(waitMs, undefined, { signal: options.signal });
  }

  /** The body without e-mail addresses. Forgotten persons are looked for first: some are found by their e-mail only. */
  function withheld(body: Buffer): Buffer {
    persons.inJson(body);
    return withoutEmails(body, persons.nameOfAddress);
  }

  function httpRequestOf({ method, path, query = {}, body }: ApiRequest): HttpRequest {
    const url = addressOf(options.baseUrl, path, query);
    if (body === undefined) return { method, url, headers };
    return {
      method,
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
  }

  return {
    get: (path, query, open, requestOptions) =>
      send({ method: 'GET', path, query, isRepeatable: true }, open, requestOptions),
    send,
    at(baseUrl, variable) {
      const other = createPlatformClient({ ...options, baseUrl, baseUrlVariable: variable }, shared);
      others.push(other);
      return other;
    },
    credential: credentialDigest(options),
    counts,
    async close() {
      budget.close();
      await Promise.all([dispatcher.destroy(), ...others.map((other) => other.close())]);
    },
  };
}

function openJson<Opened>(body: Buffer, open: (body: Buffer) => Opened): Opened {
  try {
    return open(body);
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error;
  }
}
