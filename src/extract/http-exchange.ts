/** Sends one HTTP request and collects its response, within a time limit and a size limit. */
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { AttemptError } from './attempt-error.ts';

/** The methods that the platform knows (platform-api.md §4). */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH';

/** Limits of one attempt. */
export interface AttemptLimits {
  readonly requestTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/** An HTTP request. */
export interface HttpRequest {
  readonly method: Method;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | undefined;
}

/** An HTTP response with its raw body. */
export interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** The proxy of the environment for an address; undefined without one. A proxy also resolves the host name. */
export function proxyOf({ protocol }: URL): string | undefined {
  const proxy = (process.env.https_proxy || process.env.HTTPS_PROXY)?.trim();
  return protocol === 'https:' && proxy ? proxy : undefined;
}

/**
 * Creates a pool of connections that stay open between requests. HTTPS uses the proxy of the environment. An attempt to
 * connect ends after `connectMs`, by default after undici's ten seconds.
 */
export function createDispatcher(baseUrl: URL, connections: number, connectMs?: number): Dispatcher {
  const proxy = proxyOf(baseUrl);
  // `sendRequest` limits the time of an attempt; undici's own limits could end an attempt before that.
  const connect = connectMs === undefined ? {} : { connect: { timeout: connectMs } };
  const options = { connections, headersTimeout: 0, bodyTimeout: 0, ...connect };
  if (proxy === undefined) return new Agent(options);
  // Also set `httpProxy`: undici would otherwise read it from HTTP_PROXY, which may be invalid.
  return new EnvHttpProxyAgent({ ...options, httpProxy: proxy, httpsProxy: proxy });
}

function noAnswerWithin(timeoutMs: number): AttemptError {
  return new AttemptError(`no complete answer within ${timeoutMs} ms`, {
    retryable: true,
    smallerMayWork: true,
    isTimeout: true,
  });
}

export function tooLarge({ statusCode }: Omit<HttpResponse, 'body'>, maxBytes: number): AttemptError {
  return new AttemptError(`the answer is larger than MAX_RESPONSE_BYTES (${maxBytes})`, {
    retryable: false,
    smallerMayWork: true,
    status: statusCode,
  });
}

/**
 * Sends one request and collects the response. Uses undici's lowest interface, which passes the pieces of the body
 * directly: a stream would double the cost of a request. Rejects with the reason of `signal` when it aborts, and with
 * `AttemptError` when the response is too late or too large.
 */
export function sendRequest(
  { method, url, headers, body }: HttpRequest,
  { requestTimeoutMs, maxResponseBytes }: AttemptLimits,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<HttpResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  const chunks: Buffer[] = [];
  let size = 0;
  let head: Omit<HttpResponse, 'body'> = { statusCode: 0, headers: {} };
  let controller: Dispatcher.DispatchController | undefined;
  let ended: Error | undefined;
  const end = (reason: Error) => {
    ended = reason;
    // Close the connection, so that the rest is not read. A request that waits for a connection has no controller yet.
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
