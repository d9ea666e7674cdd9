/** The error of a failed attempt. */
import { RequestFailedError } from '../model/errors.ts';

/** A failed attempt; `retryable`: another attempt may succeed. */
export class AttemptError extends RequestFailedError {
  readonly retryable: boolean;
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** The platform's time (`Date` header), in ms since 1970; undefined when it sends none. */
  readonly platformTimeMs: number | undefined;
  /** The platform's problem body, where it sent one (platform-api.md §7). */
  readonly problem: Problem | undefined;
  /** Whether no complete answer came in time. */
  readonly isTimeout: boolean;

  constructor(
    message: string,
    details: {
      retryable: boolean;
      status?: number;
      smallerMayWork?: boolean;
      retryAfter?: string | undefined;
      platformTimeMs?: number | undefined;
      problem?: Problem | undefined;
      isTimeout?: boolean;
      cause?: unknown;
    },
  ) {
    super(message, details);
    this.retryable = details.retryable;
    this.retryAfter = details.retryAfter;
    this.platformTimeMs = details.platformTimeMs;
    this.problem = details.problem;
    this.isTimeout = details.isTimeout ?? false;
  }
}

/** The platform's description of an error, sanitized; every part may be missing. */
export interface Problem {
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
}
