/** The organizations that a command reads: those of ORGANIZATIONS_FILE, else all of the warehouse. */
import type { Config } from '../../model/config.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readBoundNames } from '../../warehouse/ledger/bound-organizations.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';

/** An organization with rows in the warehouse. */
export interface HeldOrganization {
  readonly orgKey: number;
  readonly organizationId: string;
}

/** An organization that a command reads. */
export interface AskedOrganization {
  /** Its name in the file; undefined without the file. */
  readonly name: string | undefined;
  /** Undefined if the platform has never answered for its name. */
  readonly held: HeldOrganization | undefined;
}

/** The organizations, in the order of the file or of their keys. */
export async function askedOrganizations(
  db: Database,
  { organizations: entries }: Pick<Config, 'organizations'>,
): Promise<AskedOrganization[]> {
  if (entries === undefined) return (await listOrganizations(db)).map((held) => ({ name: undefined, held }));
  const bound = await readBoundNames(
    db,
    entries.map(({ name }) => name),
  );
  return entries.map(({ name }) => ({ name, held: bound.get(name) }));
}

/**
 * The organization of a command for one; undefined if there is none yet. Throws `ConfigurationError` if the warehouse
 * holds several and the settings do not say which: the sentence begins with `subject`.
 */
export async function onlyOrganization(
  db: Database,
  { organization }: Pick<Config, 'organization'>,
  subject: string,
): Promise<HeldOrganization | undefined> {
  if (organization !== undefined)
    return (await readBoundNames(db, [organization.name])).get(organization.name);
  const [only, ...others] = await listOrganizations(db);
  if (others.length > 0)
    throw new ConfigurationError([
      `${subject}: expected a warehouse of one organization, got one of ${others.length + 1}; name one with --organization and ORGANIZATIONS_FILE`,
    ]);
  return only;
}
