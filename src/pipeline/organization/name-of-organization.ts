/** Binds a name of ORGANIZATIONS_FILE to the organization that its key belongs to. */
import type { Config } from '../../model/config.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { bindName, otherBinding } from '../../warehouse/ledger/bound-organizations.ts';

/** The organization of the file that a run is for; undefined without the file. */
type NamedOrganization = Config['organization'];

/**
 * Binds the name to the organization that answered, before any row of it is written. Does nothing without the file. Throws
 * `ConfigurationError` as `refuseOtherName` does; then nothing is bound.
 */
export async function bindOrganization(
  db: Database,
  named: NamedOrganization,
  organizationId: string,
): Promise<void> {
  if (named === undefined) return;
  await db.transaction().execute(async (transaction) => {
    await refuseOtherName(transaction, named, organizationId);
    await bindName(transaction, named.name, organizationId);
    await refuseOtherName(transaction, named, organizationId);
  });
}

/**
 * Throws `ConfigurationError` if the entry names another organization, if the name is bound to another one, or the organization
 * to another name: a key may have been moved. Does nothing without the file.
 */
export async function refuseOtherName(
  db: Database,
  named: NamedOrganization,
  organizationId: string,
): Promise<void> {
  if (named === undefined) return;
  refuseOtherId(named, organizationId);
  const { name } = named;
  const answered = JSON.stringify(organizationId);
  const other = await otherBinding(db, name, organizationId);
  if (other.organizationId !== undefined)
    throw new ConfigurationError([
      `${name}: expected the platform to answer as organization ${JSON.stringify(other.organizationId)}, which this name has in the warehouse, but it answered as ${answered}; nothing was done. ` +
        `Put the key of ${JSON.stringify(other.organizationId)} in the place of this one; if ${name} is to be another organization from now on, give it another name in ORGANIZATIONS_FILE`,
    ]);
  if (other.name !== undefined)
    throw new ConfigurationError([
      `${name}: organization ${answered} is loaded under the name ${other.name} already; nothing was done. ` +
        `Remove ${name} or ${other.name} from ORGANIZATIONS_FILE, or give ${name} the key of its own organization; ` +
        `if ${other.name} was renamed to ${name}, delete the row of ${other.name} from etl.organization`,
    ]);
}

/** Throws `ConfigurationError` if the entry names another organization than the one that answered. */
export function refuseOtherId({ name, orgId }: NonNullable<NamedOrganization>, organizationId: string): void {
  if (orgId === undefined || orgId === organizationId) return;
  const [expected, answered] = [orgId, organizationId].map((id) => JSON.stringify(id));
  throw new ConfigurationError([
    `${name}: org_id: expected the platform to answer as organization ${expected}, but it answered as ${answered}; nothing was done. ` +
      `Put the key of ${expected} in the place of this one, or correct org_id in ORGANIZATIONS_FILE`,
  ]);
}
