/** The errors for statements that the database ended because they ran or waited too long. */
import { codeOf } from '../../model/error-code.ts';
import { ConfigurationError, LockTimeoutError, WarehouseError } from '../../model/errors.ts';
import type { BoundedClient } from './bounded-client.ts';
import { noTimeToBegin, statementProblem } from './connection-problem.ts';
import { describeWait, type LockWait, readTableLocks } from './lock-waits.ts';

/** SQLSTATEs. */
const lockNotAvailable = '55P03';
const queryCanceled = '57014';

/** Whether a statement failed because it waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return hasCode(error, lockNotAvailable);
}

/** Whether a statement was cancelled: by a person, or because it took too long. */
export function wasCancelled(error: unknown): boolean {
  return hasCode(error, queryCanceled);
}

/** The error to throw when work on a connection failed: `LockTimeoutError` or `WarehouseError` if a limit ended it. */
export async function limitProblem(client: BoundedClient, error: unknown): Promise<unknown> {
  const { limits } = client.bounds;
  if (client.backendPid === undefined && wasCancelled(error))
    return new ConfigurationError([`DATABASE_URL: ${noTimeToBegin}`], { cause: error });
  if (limits === undefined || error instanceof WarehouseError) return statementProblem(error);
  if (isLockTimeout(error)) {
    const wait = client.lockWait ?? (await readLateHolders(client));
    return new LockTimeoutError(
      `waited ${limits.lockTimeoutMs / 1000} s, as long as LOCK_TIMEOUT_MS allows, ${describeWait(wait)}; ` +
        'let that session end, then run the job again',
      { isOfWholeTable: wait.isOfWholeTable, cause: error },
    );
  }
  // If a person cancelled it, Postgres says "user request", in the server's language.
  if (wasCancelled(error) && !/user request/.test(String(error))) {
    const waited = client.lockWait === undefined ? '' : `; it waited ${describeWait(client.lockWait)}`;
    return new WarehouseError(
      `a statement took ${limits.statementTimeoutMs / 1000} s, as long as STATEMENT_TIMEOUT_MS allows${waited}`,
      { cause: error },
    );
  }
  return statementProblem(error);
}

/** The wait ended before the pool watch asked who holds the lock. The holder may still be there. */
async function readLateHolders(
  client: BoundedClient,
): Promise<Pick<LockWait, 'tables' | 'holders' | 'isOfWholeTable'>> {
  const found = await readTableLocks(client).catch(() => undefined);
  return { tables: '', holders: '', ...found, isOfWholeTable: false };
}

function hasCode(error: unknown, code: string): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (codeOf(current) === code) return true;
  return false;
}
