/** Every error that this program raises on purpose. The kind decides the exit code; the message tells the reader what to do. */

import type { RejectedRecords } from './drift.ts';

/** Base class of all errors below; `cause` holds the original error. */
export abstract class UsageEtlError extends Error {
  override readonly name: string = this.constructor.name;
}

/** A setting or an argument is wrong or missing. Thrown before anything is changed, with all problems at once. */
export class ConfigurationError extends UsageEtlError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** Our database role lacks a right. A role with more rights must run these statements. */
export class AdministratorNeededError extends ConfigurationError {
  readonly statements: readonly string[];

  constructor(sentence: string, statements: readonly string[]) {
    super([sentence]);
    this.statements = statements;
  }
}

/** The platform refused the credential (401, 403). Nothing more is tried (platform-api.md §5). */
export class CredentialsRefusedError extends UsageEtlError {
  /** 401: unknown credential. 403: known, but without the permission. */
  readonly status: 401 | 403;

  constructor(message: string, details: { status: 401 | 403; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.status = details.status;
  }
}

/** Another run holds the lock of this organization. */
export class LockHeldError extends UsageEtlError {}

/** A signal asked the program to end. */
export class InterruptedError extends UsageEtlError {}

/** A request brought no usable answer in all its attempts. */
export class RequestFailedError extends UsageEtlError {
  /** HTTP status of the last attempt; undefined without an answer. */
  readonly status: number | undefined;
  /** Whether a request for less may succeed: the answer was too large or too slow, or its span of days was refused. */
  readonly smallerMayWork: boolean;

  constructor(message: string, details: { status?: number; smallerMayWork?: boolean; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.smallerMayWork = details.smallerMayWork ?? false;
  }
}

/** A complete answer is not as platform-api.md documents it. */
export class UnexpectedAnswerError extends UsageEtlError {}

/** Too large a share of a slice's rows cannot be loaded. */
export class TooManyRejectedError extends UsageEtlError {
  /** The rejected records, for the quarantine. */
  readonly rejected: RejectedRecords;

  constructor(message: string, rejected: RejectedRecords) {
    super(message);
    this.rejected = rejected;
  }
}

/** The database refused or lost a piece of work. */
export class WarehouseError extends UsageEtlError {}

/** The database did not answer within the time limit of a statement; we closed the connection. */
export class SilentDatabaseError extends WarehouseError {}

/** Another session held a lock in the database for longer than `LOCK_TIMEOUT_MS`. */
export class LockTimeoutError extends WarehouseError {
  /** Whether the lock blocks the whole table: then no slice can be written to it. */
  readonly isOfWholeTable: boolean;

  constructor(message: string, details: { isOfWholeTable: boolean; cause: unknown }) {
    super(message, { cause: details.cause });
    this.isOfWholeTable = details.isOfWholeTable;
  }
}

/** The message of an error for a person, with the messages of its causes where they add something. */
export function explain(error: unknown): string {
  const messages: string[] = [];
  const seen = new Set<unknown>();
  for (let current = error; current !== undefined && current !== null && !seen.has(current); ) {
    seen.add(current);
    const message = messageOf(current);
    if (message !== '' && !messages.some((known) => known.includes(message))) messages.push(message);
    current = current instanceof Error ? current.cause : undefined;
  }
  return messages.join(': ') || 'unknown error';
}

/** The message of one error. A failed connection to a host with several addresses is an `AggregateError` without one. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A `SyntaxError` quotes the parsed text: perhaps a part of a secret that no redaction recognizes.
  if (error instanceof SyntaxError) return '';
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((part: unknown) => explain(part)).join(', ');
}
