/** One HTTP attempt: a GET, its body within bounds, and what kind of failure it was when it failed. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { RequestFailedError } from '../model/errors.ts';
import { Answer } from './answer.ts';

/** How one attempt failed, and whether another may succeed. */
export class AttemptError extends RequestFailedError {
  readonly retryable: boolean;
  /** The raw `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** The platform's problem body, where it sent one (platform-api.md §7). */
  readonly problem: Problem | undefined;

  constructor(
    message: string,
    details: {
      retryable: boolean;
      status?: number;
      smallerMayWork?: boolean;
      retryAfter?: string | undefined;
      problem?: Problem | undefined;
      cause?: unknown;
    },
  ) {
    super(message, details);
    this.retryable = details.retryable;
    this.retryAfter = details.retryAfter;
    this.problem = details.problem;
  }
}

/** What the platform says of an error; every part may be missing. */
export interface Problem {
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
}

/** Bounds of one attempt. */
export interface AttemptLimits {
  readonly requestTimeoutMs: number;
  readonly maxResponseBytes: number;
}

const maxRedirects = 3;
const retryableStatuses = new Set([408, 429]);

/** Keeps connections open between requests. HTTPS goes through the proxy of the environment, if it names one. */
export function createDispatcher(baseUrl: URL, connections: number): Dispatcher {
  const behindProxy = baseUrl.protocol === 'https:' && (process.env.HTTPS_PROXY ?? process.env.https_proxy);
  // The time limit of an attempt is ours; undici's own would cut a longer one short.
  const options = { connections, headersTimeout: 0, bodyTimeout: 0 };
  return behindProxy ? new EnvHttpProxyAgent(options) : new Agent(options);
}

/**
 * Sends one GET and reads the whole answer, without parsing it.
 * Throws `AttemptError` for everything but an answer with status 200 that claims to be JSON, and the reason of `signal` when it aborts.
 */
export async function attemptGet(
  url: URL,
  headers: Record<string, string>,
  limits: AttemptLimits,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Answer> {
  const timeout = AbortSignal.timeout(limits.requestTimeoutMs);
  try {
    const response = await followWithinOrigin(url, headers, dispatcher, AbortSignal.any([signal, timeout]));
    const bytes = await decoded(response, await readBody(response, limits.maxResponseBytes), limits);
    if (response.statusCode !== 200) throw refusal(response, bytes);
    refuseOtherThanJson(response);
    return new Answer(bytes);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof AttemptError) throw error;
    if (timeout.aborted)
      throw new AttemptError(`no complete answer within ${limits.requestTimeoutMs} ms`, {
        retryable: true,
        smallerMayWork: true,
        cause: error,
      });
    throw new AttemptError('the connection failed before the answer was complete', {
      retryable: true,
      cause: error,
    });
  }
}

/** Follows redirects only within the origin: the credential must never reach another host. */
async function followWithinOrigin(
  url: URL,
  headers: Record<string, string>,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  let target = url;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await request(target, { headers, dispatcher, signal });
    const location = response.headers.location;
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== 'string')
      return response;
    await response.body.dump();
    const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
    if (next?.origin !== url.origin)
      throw new AttemptError(
        `redirected to another host (${next?.origin ?? 'an unreadable address'}), which would receive the credential; correct API_BASE_URL`,
        { retryable: false, status: response.statusCode },
      );
    target = next;
  }
  throw new AttemptError(`redirected more than ${maxRedirects} times`, { retryable: false });
}

async function readBody(response: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    const bytes: Buffer = chunk;
    size += bytes.length;
    // Leaving the loop destroys the body, and with it the connection: the rest is never read.
    if (size > maxBytes) throw tooLarge(response, maxBytes);
    chunks.push(bytes);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

function tooLarge(response: Dispatcher.ResponseData, maxBytes: number): AttemptError {
  return new AttemptError(`the answer is larger than MAX_RESPONSE_BYTES (${maxBytes})`, {
    retryable: false,
    smallerMayWork: true,
    status: response.statusCode,
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

async function decoded(
  response: Dispatcher.ResponseData,
  bytes: Buffer,
  { maxResponseBytes }: AttemptLimits,
): Promise<Buffer> {
  const encoding = String(response.headers['content-encoding'] ?? 'identity').toLowerCase();
  if (encoding === 'identity') return bytes;
  try {
    const decode = decoders[encoding];
    if (decode === undefined) throw new TypeError(`expected one of ${acceptEncoding}, got ${encoding}`);
    return await decode(bytes, { maxOutputLength: maxResponseBytes });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(response, maxResponseBytes);
    throw new AttemptError('the compressed body cannot be read', {
      retryable: true,
      status: response.statusCode,
      cause: error,
    });
  }
}

function refuseOtherThanJson(response: Dispatcher.ResponseData): void {
  const contentType = String(response.headers['content-type'] ?? 'none');
  if (/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType)) return;
  throw new AttemptError(`expected content type application/json, got ${contentType}`, {
    retryable: true,
    status: response.statusCode,
  });
}

/** Parses an answer. Throws `AttemptError` when it is not JSON: another attempt may bring the whole of it. */
export function requireJson(answer: Answer): void {
  try {
    answer.parse();
  } catch (error) {
    throw new AttemptError('expected a complete JSON body, got something else', {
      retryable: true,
      status: 200,
      cause: error,
    });
  }
}

function refusal(response: Dispatcher.ResponseData, bytes: Buffer): AttemptError {
  const status = response.statusCode;
  const problem = readProblem(bytes);
  const retryAfter = response.headers['retry-after'];
  const said = [problem?.detail ?? problem?.title, problem?.requestId && `request id ${problem.requestId}`]
    .filter(Boolean)
    .join(', ');
  return new AttemptError(`the platform answered ${status}${said === '' ? '' : ` (${said})`}`, {
    retryable: status >= 500 || retryableStatuses.has(status),
    // The largest span is not documented (platform-api.md §8): a window that is too wide may be a 400 or a 413.
    smallerMayWork: status === 400 || status === 413 || status === 408 || status === 504,
    status,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    problem,
  });
}

function readProblem(bytes: Buffer): Problem | undefined {
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof body !== 'object' || body === null) return undefined;
    const text = (field: string) => {
      const value: unknown = Reflect.get(body, field);
      return typeof value === 'string' ? value.slice(0, 500) : undefined;
    };
    return { title: text('title'), detail: text('detail'), requestId: text('requestId') };
  } catch {
    // Not a problem body: the status alone says what happened.
    return undefined;
  }
}
