/** Reads the organizations that a command asks for, with their slices in the ledger. */
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import { type Database, withSession } from '../../warehouse/connection/connection.ts';
import { readAskedRanges } from '../../warehouse/ledger/asked-range.ts';
import { readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { type AskedOrganization, askedOrganizations } from '../organization/asked-organizations.ts';
import type { KnownSlices } from '../plan/plan.ts';
import { namedSlices } from '../sessions/registered-sessions.ts';

/** An organization, and what the ledger knows of it: nothing before the first answer of the platform. */
export interface KnownOrganization extends KnownSlices, AskedOrganization {}

/**
 * Does `work` for each organization of the settings, one after the other: the ledgers of all would take much memory.
 * Returns the results in the order of the file or of the keys.
 */
export async function eachKnownOrganization<Result>(
  pool: pg.Pool,
  settings: Pick<Config, 'organizations'>,
  work: (organization: KnownOrganization, db: Database) => Promise<Result>,
): Promise<Result[]> {
  return withSession(pool, async ({ db }) => {
    const results: Result[] = [];
    const organizations = await askedOrganizations(db, settings);
    for (const organization of organizations) {
      const orgKey = organization.held?.orgKey;
      const known =
        orgKey === undefined
          ? { ledger: new Map(), asked: new Map() }
          : {
              ledger: await readLedger(db, orgKey),
              asked: await readAskedRanges(db, orgKey),
              named: await namedSlices(db, orgKey),
            };
      results.push(await work({ ...organization, ...known }, db));
    }
    return results;
  });
}
