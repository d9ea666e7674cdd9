/** Recognizes the errors of Postgres after which work can be repeated. */
import pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { SilentDatabaseError } from '../../model/errors.ts';
import { saysUnreachable } from './connection-problem.ts';

/** SQLSTATEs. */
const uniqueViolation = '23505';
const deadlockDetected = '40P01';
const serializationFailure = '40001';

/** Whether a row could not be inserted because its key exists. */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === uniqueViolation;
}

/**
 * Whether Postgres ended this transaction because of a conflict with another one: the same work may succeed when
 * repeated.
 */
export function isTransactionConflict(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if ('code' in current && (current.code === deadlockDetected || current.code === serializationFailure))
      return true;
  return false;
}

/** Whether the error comes from the server, or from the connection to it. */
export function comesFromDatabase(error: unknown): boolean {
  return error instanceof pg.DatabaseError || isConnectionLoss(error);
}

/** Whether the connection is lost, so that the same work may succeed on another one. */
export function isConnectionLoss(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof SilentDatabaseError || saysUnreachable(current)) return true;
    const code = 'code' in current ? String(current.code) : '';
    // Class 08 is connection exceptions, 57P0x are shutdown and crash of the server.
    if (/^(?:08|57P0)/.test(code) || lostSocketCodes.has(code)) return true;
    if (
      /^Connection terminated|^Client has encountered a connection error|not queryable/.test(current.message)
    )
      return true;
  }
  return false;
}

const lostSocketCodes = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
