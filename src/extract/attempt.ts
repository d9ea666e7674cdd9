/** One attempt: sends a request, reads its answer within limits, and classifies failures. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { Sanitizer } from '../model/sanitize.ts';
import { AttemptError } from './attempt-error.ts';
import { refusal } from './refusal.ts';

/** The methods that the platform knows (platform-api.md §4). */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

/** Limits of one attempt. */
export interface AttemptLimits {
  readonly requestTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/** Rules of an attempt. */
export interface AttemptRules extends AttemptLimits {
  /** The setting of the platform's address, for messages. */
  readonly baseUrlVariable?: string;
  /** Sanitizes the platform's texts in error messages. */
  readonly sanitize: Sanitizer;
  /** Whether error messages leave out the platform's texts. */
  readonly withholdsWords?: boolean;
}

const nothingSaid = Buffer.alloc(0);

/** An HTTP request. */
export interface Message {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** Most characters of a header in a message. */
const mostOfHeader = 100;

const maxRedirects = 3;
/** These repeat the request with its method; after other redirects a browser would send a GET. */
const methodKeepingRedirects = new Set([307, 308]);

/** The proxy of the environment for an address; undefined without one. A proxy also resolves the host name. */
export function proxyOf({ protocol }: URL): string | undefined {
  const proxy = (process.env.https_proxy || process.env.HTTPS_PROXY)?.trim();
  return protocol === 'https:' && proxy ? proxy : undefined;
}

/**
 * Keeps connections open between requests. HTTPS uses the proxy of the environment. A connection attempt is given up
 * after `connectMs`, by default after undici's ten seconds.
 */
export function createDispatcher(baseUrl: URL, connections: number, connectMs?: number): Dispatcher {
  const proxy = proxyOf(baseUrl);
  // We limit the time of an attempt ourselves; undici's own limits would end a longer one early.
  const connect = connectMs === undefined ? {} : { connect: { timeout: connectMs } };
  const options = { connections, headersTimeout: 0, bodyTimeout: 0, ...connect };
  if (proxy === undefined) return new Agent(options);
  // We set both, because undici would otherwise read httpProxy from HTTP_PROXY, which may be invalid.
  return new EnvHttpProxyAgent({ ...options, httpProxy: proxy, httpsProxy: proxy });
}

/**
 * Sends one request and reads the whole body of its answer. Returns body and status. Throws `AttemptError` for anything
 * but a success with a JSON content type, and the reason of `signal` when it aborts.
 */
export async function attempt(
  message: Message,
  rules: AttemptRules,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  try {
    signal.throwIfAborted();
    const response = await followWithinOrigin(message, rules, dispatcher, signal);
    const bytes = await decoded(response, rules);
    if (!isSuccess(message, response))
      throw refusal(response, rules.withholdsWords === true ? nothingSaid : bytes, rules.sanitize);
    refuseOtherThanJson(response, rules.sanitize);
    return { status: response.statusCode, body: ownBytes(bytes) };
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
    isTimeout: true,
  });
}

/** A GET succeeds with 200 only; a change also with 201 and 202 (platform-api.md §4.5). */
function isSuccess({ method }: Message, { statusCode }: Response): boolean {
  return statusCode === 200 || (method !== 'GET' && (statusCode === 201 || statusCode === 202));
}

/** Follows redirects only within the origin: the credential must never reach another host. */
async function followWithinOrigin(
  message: Message,
  rules: AttemptRules,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Response> {
  let target = message.url;
  let status: number | undefined;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await receive({ ...message, url: target }, rules, dispatcher, signal);
    status = response.statusCode;
    const location = response.headers.location;
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== 'string')
      return response;
    if (message.method !== 'GET' && !methodKeepingRedirects.has(response.statusCode)) return response;
    const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
    if (next?.origin !== message.url.origin)
      throw new AttemptError(
        `redirected to another host (${rules.sanitize(next?.origin ?? 'an unreadable address', mostOfHeader)}), which would receive the credential; correct ${rules.baseUrlVariable ?? 'API_BASE_URL'}`,
        { retryable: false, status: response.statusCode },
      );
    // A redirect without a query keeps the query of the request.
    if (next.search === '') next.search = target.search;
    target = next;
  }
  const details = status === undefined ? {} : { status };
  throw new AttemptError(`redirected more than ${maxRedirects} times`, { retryable: false, ...details });
}

/** An HTTP response with its raw body. */
export interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Sends one request and collects the response. Uses undici's lowest interface, which passes body chunks directly: a
 * stream would double the cost of a request. Rejects with the reason of `signal` when it aborts, and with
 * `AttemptError` when the response is too late or too large.
 */
export function receive(
  { method, url, headers, body }: Message,
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
    // Closes the connection, so that the rest is not read. A request that waits for a connection has no controller yet.
    controller?.abort(reason);
    reject(reason);
  };
  const onAbort = () => end(new Error('aborted', { cause: signal.reason }));
  signal.addEventListener('abort', onAbort);
  const timeout = setTimeout(() => end(noAnswerWithin(requestTimeoutMs)), requestTimeoutMs);
  const request = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body: body ?? null,
  };
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

/** We accept compression: usage data shrinks tenfold. */
export const acceptEncoding = 'zstd, br, gzip';

/** A whole page per output piece: every piece is a separate task. */
const outputPiece = 64 * 1024;

const decoders: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

async function decoded(response: Response, { maxResponseBytes, sanitize }: AttemptRules): Promise<Buffer> {
  const { body } = response;
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return body;
  try {
    const decode = decoders[encoding];
    if (decode === undefined)
      throw new TypeError(`expected one of ${acceptEncoding}, got ${sanitize(encoding, mostOfHeader)}`);
    return await decode(body, { maxOutputLength: maxResponseBytes, chunkSize: outputPiece });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(response, maxResponseBytes);
    throw new AttemptError('the compressed body cannot be read', {
      retryable: true,
      status: response.statusCode,
      cause: error,
    });
  }
}

function refuseOtherThanJson(response: Response, sanitize: Sanitizer): void {
  const contentType = String(response.headers['content-type'] ?? 'none');
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)) return;
  throw new AttemptError(
    `expected content type application/json, got ${sanitize(contentType, mostOfHeader)}`,
    {
      retryable: true,
      status: response.statusCode,
    },
  );
}

/** Copies a body out of a much larger buffer, which it would keep in memory. */
function ownBytes(body: Buffer): Buffer {
  return body.buffer.byteLength > 2 * body.length ? Buffer.from(body) : body;
}

/** The error for a body that is not JSON: another attempt may bring the whole body. */
export function notJson(cause: SyntaxError): AttemptError {
  const message = 'expected a complete JSON body, got something else';
  return new AttemptError(message, { retryable: true, status: 200, cause });
}
