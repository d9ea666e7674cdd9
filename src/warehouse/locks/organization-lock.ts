/** The lock of an organization: only one run at a time works on an organization. */
import type pg from 'pg';
import { takeUnlessOurs } from './advisory-locks.ts';

/**
 * Locks an organization until the connection ends; false when another run holds the lock. Throws `ForeignLockError` when
 * somebody else holds it.
 */
export function lockOrganization(client: pg.ClientBase, orgKey: number): Promise<boolean> {
  return takeUnlessOurs(client, orgKey, 'the lock of this organization');
}
