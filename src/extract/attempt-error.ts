/** How an attempt to get an answer failed, and what the platform said of it. */
import { RequestFailedError } from '../model/errors.ts';

/** How one attempt failed, and whether another may succeed. */
export class AttemptError extends RequestFailedError {
  readonly retryable: boolean;
  /** The `Retry-After` header. */
  readonly retryAfter: string | undefined;
  /** What the platform's clock said, in milliseconds since 1970; undefined when it did not tell. */
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

/** What the platform says of an error, harmless and without the credential; every part may be missing. */
export interface Problem {
  readonly title?: string | undefined;
  readonly detail?: string | undefined;
  readonly requestId?: string | undefined;
}
