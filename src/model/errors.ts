/** Every error that this program raises on purpose. The kind decides the exit code; the message tells the reader what to do. */

import type { RejectedRecords } from './drift.ts';

/** Common ground of all errors below; `cause` holds what led to it. */
export abstract class UsageEtlError extends Error {
  override readonly name: string = this.constructor.name;
}

/** A setting or an argument is wrong or missing. Raised before anything is touched; every problem at once. */
export class ConfigurationError extends UsageEtlError {
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join('\n'), options);
    this.problems = problems;
  }
}

/** The role of the database may not make what is needed: somebody with more rights must, by these statements. */
export class AdministratorNeededError extends ConfigurationError {
  readonly statements: readonly string[];

  constructor(sentence: string, statements: readonly string[]) {
    super([sentence]);
    this.statements = statements;
  }
}

/** The platform refused the credential (401, 403): nothing further is tried (platform-api.md §5). */
export class CredentialsRefusedError extends UsageEtlError {
  /** 401: the credential is not known. 403: it is, but may not do this. */
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

/** A request got no usable answer, after all attempts that were allowed. */
export class RequestFailedError extends UsageEtlError {
  /** HTTP status of the last attempt; undefined when none arrived. */
  readonly status: number | undefined;
  /** Whether a smaller request may succeed: the answer was too large, too slow or its span was refused. */
  readonly smallerMayWork: boolean;

  constructor(message: string, details: { status?: number; smallerMayWork?: boolean; cause?: unknown }) {
    super(message, { cause: details.cause });
    this.status = details.status;
    this.smallerMayWork = details.smallerMayWork ?? false;
  }
}

/** An answer arrived whole, but is not what platform-api.md documents. */
export class UnexpectedAnswerError extends UsageEtlError {}

/** Too large a share of a slice's rows cannot be loaded. */
export class TooManyRejectedError extends UsageEtlError {
  /** What was rejected, to be kept. */
  readonly rejected: RejectedRecords;

  constructor(message: string, rejected: RejectedRecords) {
    super(message);
    this.rejected = rejected;
  }
}

/** The database refused or lost a piece of work. */
export class WarehouseError extends UsageEtlError {}

/** The database has not answered for longer than a statement may take: the connection was given up. */
export class SilentDatabaseError extends WarehouseError {}

/** Somebody else held a lock in the database for longer than `LOCK_TIMEOUT_MS`. */
export class LockTimeoutError extends WarehouseError {
  /** Whether the lock keeps everybody from the whole table, so that each slice that needs the table meets it. */
  readonly isOfWholeTable: boolean;

  constructor(message: string, details: { isOfWholeTable: boolean; cause: unknown }) {
    super(message, { cause: details.cause });
    this.isOfWholeTable = details.isOfWholeTable;
  }
}

/** The text that a person reads: the message, and those of its causes where they add something. */
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

/** Connecting to a name of several addresses fails with an error that has no message but those of its parts. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // It quotes a few characters of what was parsed: a piece of a secret, perhaps, which nobody would recognize.
  if (error instanceof SyntaxError) return '';
  if (error.message !== '' || !(error instanceof AggregateError)) return error.message;
  return error.errors.map((part: unknown) => explain(part)).join(', ');
}
