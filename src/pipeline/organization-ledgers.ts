import type pg from 'pg';
import { withSession } from '../warehouse/connection/connection.ts';
import { listOrganizations } from '../warehouse/ledger/organization.ts';
import { type Ledger, readLedger } from '../warehouse/ledger/slice-ledger.ts';

/** The ledger of every organization that the warehouse knows. */
export async function organizationLedgers(
  pool: pg.Pool,
): Promise<{ organizationId: string; orgKey: number; ledger: Ledger }[]> {
  return withSession(pool, async ({ db }) => {
    const ledgers = [];
    for (const organization of await listOrganizations(db))
      ledgers.push({ ...organization, ledger: await readLedger(db, organization.orgKey) });
    return ledgers;
  });
}
