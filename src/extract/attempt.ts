/** One attempt: sends a request, reads its answer within limits, and classifies failures. */
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, zstdDecompress } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Sanitizer } from '../model/sanitize.ts';
import { AttemptError } from './attempt-error.ts';
import {
  type AttemptLimits,
  type HttpRequest,
  type HttpResponse,
  sendRequest,
  tooLarge,
} from './http-exchange.ts';
import { refusal } from './refusal.ts';

/** Rules of an attempt. */
export interface AttemptRules extends AttemptLimits {
  /** Name of the setting with the platform's address, for messages. */
  readonly baseUrlVariable?: string;
  /** Sanitizes the platform's texts in error messages. */
  readonly sanitize: Sanitizer;
  /** Whether error messages leave out the platform's texts. */
  readonly withholdsWords?: boolean;
}

const nothingSaid = Buffer.alloc(0);

/** Most characters of a header of the answer in an error message. */
const mostOfHeader = 100;

const maxRedirects = 3;
/** Redirects after which the request is sent with its own method; after others a browser would send a GET. */
const methodKeepingRedirects = new Set([307, 308]);

/**
 * Sends one request and reads the whole body of its answer. Returns body and status. Throws `AttemptError` for anything
 * but a success with a JSON content type, and the reason of `signal` when it aborts.
 */
export async function attempt(
  request: HttpRequest,
  rules: AttemptRules,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  try {
    signal.throwIfAborted();
    const response = await followWithinOrigin(request, rules, dispatcher, signal);
    const bytes = await decoded(response, rules);
    if (!isSuccess(request, response))
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

/** A GET succeeds with 200 only, any other method also with 201 and 202 (platform-api.md §4.5). */
function isSuccess({ method }: HttpRequest, { statusCode }: HttpResponse): boolean {
  return statusCode === 200 || (method !== 'GET' && (statusCode === 201 || statusCode === 202));
}

/** Follows redirects only within the origin: the credential must never reach another host. */
async function followWithinOrigin(
  request: HttpRequest,
  rules: AttemptRules,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<HttpResponse> {
  let target = request.url;
  let status: number | undefined;
  for (let hop = 0; hop <= maxRedirects; hop++) {
    const response = await sendRequest({ ...request, url: target }, rules, dispatcher, signal);
    status = response.statusCode;
    const location = response.headers.location;
    if (response.statusCode < 300 || response.statusCode >= 400 || typeof location !== 'string')
      return response;
    if (request.method !== 'GET' && !methodKeepingRedirects.has(response.statusCode)) return response;
    const next = URL.canParse(location, target.href) ? new URL(location, target.href) : undefined;
    if (next?.origin !== request.url.origin)
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

/** We accept compressed answers: they are about ten times smaller. */
export const acceptEncoding = 'zstd, br, gzip';

/** Bytes per output piece of a decoder: enough for a whole answer, because every piece is a separate task. */
const outputPiece = 64 * 1024;

const decoders: Readonly<
  Record<string, (bytes: Buffer, options: { maxOutputLength: number; chunkSize: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

async function decoded(
  response: HttpResponse,
  { maxResponseBytes, sanitize }: AttemptRules,
): Promise<Buffer> {
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

function refuseOtherThanJson(response: HttpResponse, sanitize: Sanitizer): void {
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

/** Copies a body that is part of a much larger buffer: the body would keep the whole buffer in memory. */
function ownBytes(body: Buffer): Buffer {
  return body.buffer.byteLength > 2 * body.length ? Buffer.from(body) : body;
}

/** The error for a body that is not JSON: another attempt may bring the whole body. */
export function notJson(cause: SyntaxError): AttemptError {
  const message = 'expected a complete JSON body, got something else';
  return new AttemptError(message, { retryable: true, status: 200, cause });
}
