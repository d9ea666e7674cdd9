/** The client of the platform: credential, rate budget, retries. All requests use it. */
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { CredentialsRefusedError, explain, RequestFailedError } from '../model/errors.ts';
import { ForgottenPersons } from '../model/forgotten-persons.ts';
import type { AttemptStatus, RequestCounts, RequestPurpose, RunEvent } from '../model/run.ts';
import { createSanitizer } from '../model/sanitize.ts';
import type { Timing } from '../model/timing.ts';
import { withoutEmails } from '../model/withheld-emails.ts';
import {
  type AttemptLimits,
  acceptEncoding,
  attempt,
  createDispatcher,
  type Message,
  type Method,
  notJson,
} from './attempt.ts';
import { AttemptError } from './attempt-error.ts';
import { createRateBudget, type RateBudget, type RateLimits } from './rate-budget.ts';
import { backoffMs, retryAfterMs } from './retry-after.ts';

/** Options of the client. */
export interface PlatformClientOptions extends RateLimits, AttemptLimits {
  readonly baseUrl: URL;
  /** The setting of `baseUrl`, for messages; default `API_BASE_URL`. */
  readonly baseUrlVariable?: string;
  readonly apiKey: string;
  readonly userAgent: string;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Whether e-mail addresses are removed from answers (`USER_EMAIL=none`). */
  readonly withholdsEmails?: boolean;
  /** Forgotten persons, who must not appear in logs and errors; default none. */
  readonly persons?: ForgottenPersons;
  /** Ends every wait and every request. */
  readonly signal: AbortSignal;
  readonly timing?: Timing | undefined;
  /** Called after every attempt, and before the wait of every retry. */
  readonly onEvent?: (event: ClientEvent) => void;
}

/** Events of a client. */
export type ClientEvent = Extract<RunEvent, { type: 'retry' | 'attempt-ended' | 'budget-waited' }>;

/** Options of a request. */
export interface RequestOptions {
  /** Undefined for requests that load nothing. */
  readonly purpose?: RequestPurpose;
  /** Attempts after the first; at most as many as the client allows. */
  readonly maxRetries?: number;
  /** Attempts after the first when a smaller request may succeed. */
  readonly maxRetriesIfTooLarge?: number;
  /** Whether error messages leave out the platform's texts: they may quote a private text. */
  readonly withholdsWords?: boolean;
}

/** A request to the platform. */
export interface Call {
  readonly method: Method;
  /** Below the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The body, sent as JSON. */
  readonly body?: object;
  /**
   * Whether repeating it is harmless. If not, it is repeated only after a 429, which means that it was not carried out.
   */
  readonly isRepeatable: boolean;
}

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
   * Like `get`, for any method. The answer of a request that is not repeatable may be lost: then the caller must look
   * up the result.
   */
  send<Opened>(call: Call, open: (body: Buffer) => Opened, requestOptions?: RequestOptions): Promise<Opened>;
  /**
   * A client for another host of the platform, whose address is in the setting `variable`. It shares credential, rate
   * budget and counters, and is closed with this one.
   */
  at(baseUrl: URL, variable: string): PlatformClient;
  /** Digest of address and credential. The ledger uses it to recognize the organization. */
  readonly credential: Buffer;
  readonly counts: RequestCounts;
  /** Closes the connections. */
  close(): Promise<void>;
}

/**
 * The longest wait that the platform may ask for. With a longer one this slice and all further ones fail; the next run
 * reads them.
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
  shared: Shared = { budget: createRateBudget(options), counts: { sent: 0, retried: 0 } },
): PlatformClient {
  const { budget, counts } = shared;
  const { persons = new ForgottenPersons() } = options;
  const others: PlatformClient[] = [];
  const dispatcher = createDispatcher(options.baseUrl, options.maxConcurrency);
  // The platform knows only this secret, and may repeat it in any text.
  const rules = { ...options, sanitize: persons.behind(createSanitizer([options.apiKey])) };
  /** Set while the platform asks for a wait longer than `longestWaitMs`. */
  let closed: { readonly untilMs: number; readonly error: AttemptError } | undefined;
  const headers = {
    authorization: `Bearer ${options.apiKey}`,
    accept: 'application/json',
    'accept-encoding': acceptEncoding,
    'user-agent': options.userAgent,
  };

  async function send<Opened>(
    call: Call,
    open: (body: Buffer) => Opened,
    requestOptions: RequestOptions = {},
  ): Promise<Opened> {
    const message = messageOf(call);
    const rulesOfCall = { ...rules, withholdsWords: requestOptions.withholdsWords === true };
    for (let retry = 0; ; retry++) {
      let waitMs = 0;
      const askedAt = performance.now();
      try {
        const answer = await budget.run(async () => {
          const beganAt = performance.now();
          options.onEvent?.({ type: 'budget-waited', waitedMs: beganAt - askedAt });
          if (closed !== undefined && Date.now() < closed.untilMs) throw notAsked(call, closed.error, retry);
          counts.sent += 1;
          if (retry > 0) counts.retried += 1;
          let status: AttemptStatus = 'network';
          try {
            const answered = await attempt(message, rulesOfCall, dispatcher, options.signal);
            const { body } = answered;
            status = answered.status;
            return openJson(options.withholdsEmails === true ? withheld(body) : body, open);
          } catch (error) {
            // Inside the task, because the budget starts the next request when this one ends.
            if (error instanceof AttemptError) {
              waitMs = waitAfter(error, retry + 1);
              status = error.status ?? (error.isTimeout ? 'timeout' : 'network');
            }
            throw error;
          } finally {
            options.onEvent?.({
              type: 'attempt-ended',
              purpose: requestOptions.purpose,
              method: call.method,
              path: message.url.pathname,
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
        await prepareRetry(error, retry + 1, waitMs, call, requestOptions);
      }
    }
  }

  /** Milliseconds to wait before retry number `retry`. A 429 also pauses all other requests. */
  function waitAfter(error: AttemptError, retry: number): number {
    // At least our backoff: with `Retry-After: 0` all attempts would be used up at once.
    const waitMs = Math.max(
      retryAfterMs(error.retryAfter, Date.now()) ?? 0,
      backoffMs(retry, options.timing),
    );
    // The platform throttles the credential, not the request: all requests wait, even if this one gives up.
    if (error.status === 429 && waitMs <= longestWaitMs) budget.pauseFor(waitMs);
    else if (error.status === 429) closed = { untilMs: Date.now() + waitMs, error };
    return waitMs;
  }

  async function prepareRetry(
    error: AttemptError,
    retry: number,
    waitMs: number,
    call: Call,
    requestOptions: RequestOptions,
  ): Promise<void> {
    if (error.status === 401 || error.status === 403) throw credentialsRefused(call, error.status, error);
    const isSafe = call.isRepeatable || error.status === 429;
    if (!error.retryable || !isSafe) throw failed(call, error, retry);
    const mostRetries = Math.min(
      options.maxRetries,
      requestOptions.maxRetries ?? options.maxRetries,
      (error.smallerMayWork ? requestOptions.maxRetriesIfTooLarge : undefined) ?? options.maxRetries,
    );
    if (retry > mostRetries || waitMs > longestWaitMs) throw failed(call, error, retry);
    options.onEvent?.({ type: 'retry', path: call.path, retry, waitMs, reason: explain(error) });
    if (error.status !== 429) await delay(waitMs, undefined, { signal: options.signal });
  }

  /** Looks for forgotten persons first, because the e-mails are gone afterwards. */
  function withheld(body: Buffer): Buffer {
    persons.inJson(body);
    return withoutEmails(body, persons.nameOfAddress);
  }

  function messageOf({ method, path, query = {}, body }: Call): Message {
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

/** A slash at the end of the base URL has no meaning, so the digest ignores it. */
function credentialDigest({ baseUrl, apiKey }: PlatformClientOptions): Buffer {
  return hash('sha256', JSON.stringify([baseUrl.href.replace(/(?<!\/)\/+$/, ''), apiKey]), 'buffer');
}

function openJson<Opened>(body: Buffer, open: (body: Buffer) => Opened): Opened {
  try {
    return open(body);
  } catch (error) {
    throw error instanceof SyntaxError ? notJson(error) : error;
  }
}

/** Built as text and parsed once, because it runs for every request. */
function addressOf(baseUrl: URL, path: string, query: Readonly<Record<string, string>>): URL {
  // Not resolved as a relative URL: `//name` would mean another host.
  const pathname = `${baseUrl.pathname.replace(/(?<!\/)\/+$/, '')}${path}`.replace(
    /[?#]/g,
    encodeURIComponent,
  );
  return new URL(`${baseUrl.origin}${pathname}?${new URLSearchParams(query)}`);
}

function failed({ method, path }: Call, error: AttemptError, attempts: number): RequestFailedError {
  const asked = error.retryAfter === undefined ? '' : `; it asks to wait (Retry-After: ${error.retryAfter})`;
  const details = { smallerMayWork: error.smallerMayWork, cause: error };
  return new RequestFailedError(
    `${method} ${path} failed after ${attempts} attempt${attempts === 1 ? '' : 's'}${asked}`,
    error.status === undefined ? details : { ...details, status: error.status },
  );
}

/** The error of a request that was not sent, because the platform asked for too long a wait. */
function notAsked({ method, path }: Call, error: AttemptError, attempts: number): RequestFailedError {
  const sent =
    attempts === 0
      ? 'was not sent'
      : `was not sent again after ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  return new RequestFailedError(
    `${method} ${path} ${sent}: the platform answered another request with a wait that is too long (Retry-After: ${error.retryAfter ?? 'none'}); run again after it`,
    { status: 429, cause: error },
  );
}

/** The path of the analytics endpoints, which need a role (platform-api.md §5). */
const analyticsPath = '/api/v1/analytics/';

function credentialsRefused(
  { method, path }: Call,
  status: 401 | 403,
  error: AttemptError,
): CredentialsRefusedError {
  const forbidden = path.startsWith(analyticsPath)
    ? 'this API key may not read analytics; use a key of a user with the Manager or Owner role'
    : `this API key may not ${method} ${path}; use a key of a user who may`;
  const advice =
    status === 401
      ? 'the platform does not accept this API key; put a valid one into API_KEY or API_KEY_FILE'
      : forbidden;
  const { detail, title, requestId } = error.problem ?? {};
  const said = [detail ?? title, requestId && `request id ${requestId}`].filter(Boolean).join(', ');
  return new CredentialsRefusedError(`${status}: ${advice}${said === '' ? '' : ` (it says: ${said})`}`, {
    status,
    cause: error,
  });
}
