/** One HTTP attempt: a GET, its body within bounds, and what kind of failure it was when it failed. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Door } from '../model/foreign-text.ts';
import { AttemptError, type Problem } from './attempt-error.ts';

/** Bounds of one attempt. */
export interface AttemptLimits {
  readonly requestTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/** What an attempt goes by. */
export interface AttemptRules extends AttemptLimits {
  /** What every word of the platform passes that becomes part of a message. */
  readonly door: Door;
}

/** Characters of one text of the platform in a message. */
const mostOfProblem = 500;
const mostOfHeader = 100;
/** A larger body is no problem body. */
const mostBytesOfProblem = 65_536;

const maxRedirects = 3;
const retryableStatuses = new Set([408, 429]);

/** Keeps connections open between requests. HTTPS goes through the proxy of the environment, if it names one. */
export function createDispatcher(baseUrl: URL, connections: number): Dispatcher {
  const proxy = (process.env.https_proxy || process.env.HTTPS_PROXY)?.trim();
  // The time limit of an attempt is ours; undici's own would cut a longer one short.
  const options = { connections, headersTimeout: 0, bodyTimeout: 0 };
  if (baseUrl.protocol !== 'https:' || !proxy) return new Agent(options);
  // Named twice, because else one that is meant for other programs would be read from HTTP_PROXY, and might be none.
  return new EnvHttpProxyAgent({ ...options, httpProxy: proxy, httpsProxy: proxy });
}

/**
 * Sends one GET and reads the whole body, without looking into it.
 * Throws `AttemptError` for everything but an answer with status 200 that claims to be JSON, and the reason of `signal` when it aborts.
 */
export async function attemptGet(
  url: URL,
  headers: Record<string, string>,
  rules: AttemptRules,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Buffer> {
  try {
    signal.throwIfAborted();
    const response = await followWithinOrigin(url, headers, rules, dispatcher, signal);
    const bytes = await decoded(response, rules);
    if (response.statusCode !== 200) throw refusal(response, bytes, rules.door);
    refuseOtherThanJson(response, rules.door);
    return ownBytes(bytes);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof AttemptError) throw error;
    throw new AttemptError('the connection failed before the answer was complete', {
      retryable: true,
      cause: error,
    });
  }
}

function noAnswerWithin(timeoutMs: number): AttemptError {
  return new AttemptError(`no complete answer within ${timeoutMs} ms`, {
    retryable: true,
    smallerMayWork: true,
  });
}

/** Follows redirects only within the origin: the credential must never reach another host. */
async function followWithinOrigin(
  url: URL,
  headers: Record<string, string>,
  rules: AttemptRules,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Response> {
  let target = url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await receive(target, headers, rules, dispatcher, signal);
    const location = response.headers.location;
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== 'string')
      return response;
    const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
    if (next?.origin !== url.origin)
      throw new AttemptError(
        `redirected to another host (${rules.door(next?.origin ?? 'an unreadable address', mostOfHeader)}), which would receive the credential; correct API_BASE_URL`,
        { retryable: false, status: response.statusCode },
      );
    target = next;
  }
  throw new AttemptError(`redirected more than ${maxRedirects} times`, { retryable: false });
}

/** An answer as it came over the wire. */
interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Sends one GET and gathers the answer. By undici's lowest interface, which hands over the pieces of the body as they
 * come: a stream of them costs as much as all the rest of a request. Rejects with the reason of `signal` when it
 * aborts, and with `AttemptError` when the answer is too late or too large.
 */
function receive(
  url: URL,
  headers: Record<string, string>,
  { requestTimeoutMs, maxResponseBytes }: AttemptLimits,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Omit<Response, 'body'> = { statusCode: 0, headers: {} };
  let controller: Dispatcher.DispatchController | undefined;
  let ended: Error | undefined;
  const end = (reason: Error) => {
    ended = reason;
    // Closes the connection, so that the rest is never read. What waits for a connection has no controller yet.
    controller?.abort(reason);
    reject(reason);
  };
  const onAbort = () => end(new Error('aborted', { cause: signal.reason }));
  signal.addEventListener('abort', onAbort);
  const timeout = setTimeout(() => end(noAnswerWithin(requestTimeoutMs)), requestTimeoutMs);
  const request = { origin: url.origin, path: url.pathname + url.search, method: 'GET' as const, headers };
  dispatcher.dispatch(request, {
    onRequestStart(started) {
      controller = started;
      if (ended !== undefined) started.abort(ended);
    },
    onResponseStart(_, statusCode, received) {
      head = { statusCode, headers: received };
    },
    onResponseData(_, chunk) {
      size += chunk.length;
      if (size > maxResponseBytes) end(tooLarge(head, maxResponseBytes));
      else chunks.push(chunk);
    },
    onResponseEnd() {
      const [only] = chunks;
      const body = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, size);
      resolve({ ...head, body });
    },
    onResponseError: (_, error) => reject(error),
  });
  return promise.finally(() => {
    clearTimeout(timeout);
    signal.removeEventListener('abort', onAbort);
  });
}

function tooLarge({ statusCode }: Omit<Response, 'body'>, maxBytes: number): AttemptError {
  return new AttemptError(`the answer is larger than MAX_RESPONSE_BYTES (${maxBytes})`, {
    retryable: false,
    smallerMayWork: true,
    status: statusCode,
  });
}

/** Usage data shrinks tenfold on the wire, so compressed answers are asked for. */
export const acceptEncoding = 'zstd, br, gzip';

const decoders: Readonly<
  Record<string, (bytes: Buffer, limit: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

async function decoded(response: Response, { maxResponseBytes, door }: AttemptRules): Promise<Buffer> {
  const { body } = response;
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return body;
  try {
    const decode = decoders[encoding];
    if (decode === undefined)
      throw new TypeError(`expected one of ${acceptEncoding}, got ${door(encoding, mostOfHeader)}`);
    return await decode(body, { maxOutputLength: maxResponseBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(response, maxResponseBytes);
    throw new AttemptError('the compressed body cannot be read', {
      retryable: true,
      status: response.statusCode,
      cause: error,
    });
  }
}

function refuseOtherThanJson(response: Response, door: Door): void {
  const contentType = String(response.headers['content-type'] ?? 'none');
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)) return;
  throw new AttemptError(`expected content type application/json, got ${door(contentType, mostOfHeader)}`, {
    retryable: true,
    status: response.statusCode,
  });
}

/** What was read or decompressed at once lies in a larger buffer, which would be held with it. */
function ownBytes(body: Buffer): Buffer {
  return body.buffer.byteLength > 2 * body.length ? Buffer.from(body) : body;
}

/** How an attempt failed whose body is not JSON: another one may bring the whole of it. */
export function notJson(cause: SyntaxError): AttemptError {
  const message = 'expected a complete JSON body, got something else';
  return new AttemptError(message, { retryable: true, status: 200, cause });
}

function refusal(response: Response, bytes: Buffer, door: Door): AttemptError {
  const status = response.statusCode;
  const problem = readProblem(bytes, door);
  const retryAfter = response.headers['retry-after'];
  const said = [problem?.detail ?? problem?.title, problem?.requestId && `request id ${problem.requestId}`]
    .filter(Boolean)
    .join(', ');
  return new AttemptError(`the platform answered ${status}${said === '' ? '' : ` (${said})`}`, {
    retryable: status >= 500 || retryableStatuses.has(status),
    // The largest span is not documented (platform-api.md §8): a window that is too wide may be a 400 or a 413.
    smallerMayWork: status === 400 || status === 413 || status === 408 || status === 504,
    status,
    retryAfter: typeof retryAfter === 'string' ? door(retryAfter, mostOfHeader) : undefined,
    platformTimeMs: timeOf(response.headers.date),
    problem,
  });
}

/** The time of a `Date` header; undefined when it is none. */
function timeOf(header: string | string[] | undefined): number | undefined {
  const time = typeof header === 'string' && header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function readProblem(bytes: Buffer, door: Door): Problem | undefined {
  if (bytes.length > mostBytesOfProblem) return undefined;
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof body !== 'object' || body === null) return undefined;
    const text = (field: string) => {
      const value: unknown = Reflect.get(body, field);
      return typeof value === 'string' ? door(value, mostOfProblem) : undefined;
    };
    return { title: text('title'), detail: text('detail'), requestId: text('requestId') };
  } catch {
    // Not a problem body: the status alone says what happened.
    return undefined;
  }
}
