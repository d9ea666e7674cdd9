/** The client of the platform: credential, rate budget, retries. Everything that is asked goes through it. */
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

/** What the client needs to know. */
export interface PlatformClientOptions extends RateLimits, AttemptLimits {
  readonly baseUrl: URL;
  /** The setting that holds `baseUrl`, for messages; default `API_BASE_URL`. */
  readonly baseUrlVariable?: string;
  readonly apiKey: string;
  readonly userAgent: string;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Whether answers are opened without the e-mail addresses in them. */
  readonly withholdsEmails?: boolean;
  /** Whom nothing that is logged or recorded as an error may name; default nobody. */
  readonly persons?: ForgottenPersons;
  /** Ends every wait and every request. */
  readonly signal: AbortSignal;
  readonly timing?: Timing | undefined;
  /** Where requests are counted; default counters of its own. */
  readonly counts?: RequestCounts;
  /** Hears of every attempt, and of every retry before it waits. */
  readonly onEvent?: (event: ClientEvent) => void;
}

/** What a client tells. */
export type ClientEvent = Extract<RunEvent, { type: 'retry' | 'attempt-ended' | 'budget-waited' }>;

/** How much a request is worth, what it is for, and what may be told of its failure. */
export interface RequestOptions {
  /** Undefined for what is no part of a load. */
  readonly purpose?: RequestPurpose;
  /** Attempts after the first; at most as many as the client allows. */
  readonly maxRetries?: number;
  /** Attempts after the first where a smaller request may do better than the same one again. */
  readonly maxRetriesIfTooLarge?: number;
  /** Whether nothing is repeated that the platform says of an error: it may quote a text that nobody may keep. */
  readonly withholdsWords?: boolean;
}

/** Something that is asked of the platform, or to be done by it. */
export interface Call {
  readonly method: Method;
  /** Below the base URL. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: object;
  /**
   * Whether it does no harm when it is done twice. Else it is sent again only after 429, which says that it was not
   * looked at.
   */
  readonly isRepeatable: boolean;
}

/** A client of one platform with one credential. */
export interface PlatformClient {
  /**
   * Asks for `path` below the base URL and gives what `open` makes of the body; an answer for which it throws
   * `SyntaxError` is asked for again. Throws `CredentialsRefusedError` on 401 and 403 (platform-api.md §5),
   * `RequestFailedError` when no attempt brought a JSON answer, and what else `open` throws.
   */
  get<Opened>(
    path: string,
    query: Readonly<Record<string, string>>,
    open: (body: Buffer) => Opened,
    requestOptions?: RequestOptions,
  ): Promise<Opened>;
  /** Like `get`, for any method. The answer to what is not repeatable may be lost: the caller must look what became of it. */
  send<Opened>(call: Call, open: (body: Buffer) => Opened, requestOptions?: RequestOptions): Promise<Opened>;
  /**
   * A client of another host of the platform, whose address is in the setting `variable`: the same credential, rate budget
   * and counters. It is closed with this one.
   */
  at(baseUrl: URL, variable: string): PlatformClient;
  /** Digest of address and credential: by it the ledger knows whom the platform answered before. */
  readonly credential: Buffer;
  /** Attempts so far, and how many of them were retries. */
  readonly counts: RequestCounts;
  /** Closes the connections. */
  close(): Promise<void>;
}

/** A wait longer than this is not waited for: this and all further slices fail, and the next run finds them. */
const longestWaitMs = 60 * 60 * 1000;

/** What the clients of all hosts of one platform share. */
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
  // Of all secrets the platform knows the credential only: it may come back in whatever it says.
  const rules = { ...options, sanitize: persons.behind(createSanitizer([options.apiKey])) };
  /** While the platform wants no request for longer than is waited for: until when, and what it said. */
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
            // Within the task, because the budget starts the next request as soon as this one ends.
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

  /** Milliseconds to wait before retry number `retry`; after a 429 all requests begin to wait. */
  function waitAfter(error: AttemptError, retry: number): number {
    // A platform that asks for no wait at all must not use up all attempts within a moment.
    const waitMs = Math.max(
      retryAfterMs(error.retryAfter, Date.now()) ?? 0,
      backoffMs(retry, options.timing),
    );
    // The platform throttles the credential, not the request: everything waits, also when this request gives up.
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

  /** Whose e-mail it was is not to be known afterwards: so it is looked at first. */
  function withheld(body: Buffer): Buffer {
    persons.inJson(body);
    return withoutEmails(body, persons.nameOfAddress);
  }

  /** What is sent for a call. */
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

/** The path's last slash says nothing, and whoever writes it or not means the same. */
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

/** Built as text, and read once: a request is asked for thousands of times. */
function addressOf(baseUrl: URL, path: string, query: Readonly<Record<string, string>>): URL {
  // Not resolved as a link would be: `//name` is another host there.
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

/** The platform asked all to wait, for longer than anybody waits: this request was not sent, or not once more. */
function notAsked({ method, path }: Call, error: AttemptError, attempts: number): RequestFailedError {
  const sent =
    attempts === 0
      ? 'was not sent'
      : `was not sent again after ${attempts} attempt${attempts === 1 ? '' : 's'}`;
  return new RequestFailedError(
    `${method} ${path} ${sent}: the platform, asked for something else, wants no request for longer than is waited for (Retry-After: ${error.retryAfter ?? 'none'}); run again after that`,
    { status: 429, cause: error },
  );
}

/** Where the platform tells who may ask (platform-api.md §5). */
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
