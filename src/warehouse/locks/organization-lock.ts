/** The lock of an organization: only one run at a time works on an organization. */
import type pg from 'pg';
import { readLockNumber, takeUnlessOurs } from './advisory-locks.ts';

/**
 * Locks an organization until the connection ends; false when another run holds the lock. Throws `ForeignLockError` when
 * somebody else holds it.
 */
export function lockOrganization(client: pg.ClientBase, orgKey: number): Promise<boolean> {
  return takeUnlessOurs(client, orgKey, 'the lock of this organization');
}

/** Releases the lock of an organization. */
export async function unlockOrganization(client: pg.ClientBase, orgKey: number): Promise<void> {
  await client.query('select pg_catalog.pg_advisory_unlock($1::integer, $2::integer)', [
    await readLockNumber(client),
    orgKey,
  ]);
}
