/** Limits how long `migrate` waits for a table or view that somebody uses. */
import type pg from 'pg';
import { ConfigurationError, WarehouseError } from '../../model/errors.ts';
import { isMissingRight } from '../connection/connection-problem.ts';
import { isLockTimeout } from '../connection/limit-problem.ts';
import { describeLockHolders } from '../locks/lock-holders.ts';

/**
 * Runs `work` with a limit to each wait for a table or view: while a change waits, all readers of the table wait behind it.
 * Throws `ConfigurationError` when the role lacks a right, and `WarehouseError` when the limit is reached.
 */
export async function withLockTimeout<T>(
  client: pg.ClientBase,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const { rows } = await client.query<{ before: string }>(
    `select pg_catalog.current_setting('lock_timeout') as before`,
  );
  const set = (timeout: string) =>
    client.query(`select pg_catalog.set_config('lock_timeout', $1, false)`, [timeout]);
  await set(String(timeoutMs));
  try {
    return await work();
  } catch (error) {
    if (isMissingRight(error))
      throw new ConfigurationError(
        [
          'DATABASE_URL: the role lacks a right that migrate needs; use the one that owns the schemas; see SECURITY.md',
        ],
        { cause: error },
      );
    if (!isLockTimeout(error)) throw error;
    const holders = (await describeLockHolders(client)) || 'it has ended since';
    throw new WarehouseError(
      `migrate waited ${timeoutMs / 1000} s (LOCK_TIMEOUT_MS) for a table or view that somebody ` +
        `else uses (${holders}); nothing was changed; let that session end, and run migrate again`,
      { cause: error },
    );
  } finally {
    await set(rows[0]?.before ?? '0').catch(() => undefined);
  }
}
