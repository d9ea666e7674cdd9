/** Reads the organizations of a warehouse, with their slices in the ledger. */
import type pg from 'pg';
import { withSession } from '../../warehouse/connection/connection.ts';
import { readAskedRanges } from '../../warehouse/ledger/asked-range.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import { readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import type { KnownSlices } from '../plan/plan.ts';
import { namedSlices } from '../sessions/registered-sessions.ts';

/** An organization in the warehouse. */
export interface KnownOrganization extends KnownSlices {
  readonly orgKey: number;
  readonly organizationId: string;
}

/** Reads all organizations, sorted by key. */
export async function knownOrganizations(pool: pg.Pool): Promise<KnownOrganization[]> {
  return withSession(pool, async ({ db }) => {
    const organizations = [];
    for (const { organizationId, orgKey } of await listOrganizations(db))
      organizations.push({
        orgKey,
        organizationId,
        ledger: await readLedger(db, orgKey),
        asked: await readAskedRanges(db, orgKey),
        named: await namedSlices(db, orgKey),
      });
    return organizations;
  });
}
