/** The lock of an organization, which one run at a time works on. */
import type pg from 'pg';
import { takeUnlessOurs } from './advisory-locks.ts';

/**
 * Locks an organization for as long as the connection lives; false when another run has it. Throws `ForeignLockError`
 * when somebody else has.
 */
export function lockOrganization(client: pg.ClientBase, orgKey: number): Promise<boolean> {
  return takeUnlessOurs(client, orgKey, 'the lock of this organization');
}
