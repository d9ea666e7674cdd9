/** Makes an error of an unsuccessful answer, from its status, its problem body and its headers. */
import type { Sanitizer } from '../model/sanitize.ts';
import { AttemptError, type Problem } from './attempt-error.ts';
import type { HttpResponse } from './http-exchange.ts';

/** Most characters of a platform text in a message. */
const mostOfProblem = 500;
const mostOfHeader = 100;
/** The body of a larger answer is ignored. */
const mostBytesOfProblem = 65_536;

const retryableStatuses = new Set([408, 429]);
const smallerMayWorkAfter = new Set([400, 408, 413, 422, 504]);

/** The error for an unsuccessful answer, with the platform's texts (platform-api.md §7). */
export function refusal(response: HttpResponse, bytes: Buffer, sanitize: Sanitizer): AttemptError {
  const status = response.statusCode;
  const problem = readProblem(bytes, sanitize);
  const retryAfter = response.headers['retry-after'];
  const said = [problem?.detail ?? problem?.title, problem?.requestId && `request id ${problem.requestId}`]
    .filter(Boolean)
    .join(', ');
  return new AttemptError(`the platform answered ${status}${said === '' ? '' : ` (${said})`}`, {
    retryable: status >= 500 || retryableStatuses.has(status),
    // A window that is too wide may be a 400, 413 or 422: the longest span is not documented (platform-api.md §8).
    smallerMayWork: smallerMayWorkAfter.has(status),
    status,
    retryAfter: typeof retryAfter === 'string' ? sanitize(retryAfter, mostOfHeader) : undefined,
    platformTimeMs: timeOf(response.headers.date),
    problem,
  });
}

/** The time of a `Date` header; undefined when invalid. */
function timeOf(header: string | string[] | undefined): number | undefined {
  const time = typeof header === 'string' && header.endsWith(' GMT') ? Date.parse(header) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

function readProblem(bytes: Buffer, sanitize: Sanitizer): Problem | undefined {
  if (bytes.length > mostBytesOfProblem) return undefined;
  try {
    const body: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof body !== 'object' || body === null) return undefined;
    const text = (field: string) => {
      const value: unknown = Reflect.get(body, field);
      return typeof value === 'string' ? sanitize(value, mostOfProblem) : undefined;
    };
    return { title: text('title'), detail: text('detail'), requestId: text('requestId') };
  } catch {
    // The body is no problem body.
    return undefined;
  }
}
