/** Which organization each line of an imported file is about: by id, by name, or the only one that it can be. */
import type { Config } from '../../model/config.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import { type AskedOrganization, askedOrganizations } from '../organization/asked-organizations.ts';

/** A line that may say which organization it is about. */
export interface OrganizationLine {
  readonly line: number;
  readonly organizationId: string | undefined;
  /** A name of ORGANIZATIONS_FILE. */
  readonly organization?: string | undefined;
}

/**
 * The lines of each organization, by its key. Adds a sentence to `problems` for each line without a known organization, or
 * with one that the command does not work on.
 */
export async function linesByOrganization<Line extends OrganizationLine>(
  db: Database,
  config: Pick<Config, 'organizations'>,
  lines: readonly Line[],
  problems: string[],
): Promise<Map<number, Line[]>> {
  const stored = await listOrganizations(db);
  if (stored.length === 0) {
    problems.push(
      'the warehouse holds no organization yet, so nobody can belong to one; load something first',
    );
    return new Map();
  }
  const asked = await askedOrganizations(db, config);
  const byName = new Map(asked.map((each) => [each.name, each]));
  const byId = new Map(
    asked.flatMap(({ held }) => (held === undefined ? [] : [[held.organizationId, held]])),
  );
  const only = asked.length === 1 ? asked[0] : undefined;
  const keyOf = ({ organizationId, organization }: OrganizationLine): number | string => {
    if (organization !== undefined)
      return config.organizations === undefined
        ? 'organization: expected ORGANIZATIONS_FILE to be set, because it has the names; set it, or name the organization in org_id'
        : keyOfNamed(byName.get(organization), organization);
    if (organizationId !== undefined)
      return (
        byId.get(organizationId)?.orgKey ??
        (stored.some((each) => each.organizationId === organizationId)
          ? `org_id: ${shown(organizationId)} is none of the organizations that this command works on`
          : `org_id: the warehouse holds no organization ${shown(organizationId)}`)
      );
    if (only !== undefined) return keyOfNamed(only, only.name ?? '');
    return `org_id: expected an organization, because the ${config.organizations === undefined ? 'warehouse holds' : 'command works on'} ${asked.length} of them; got nothing`;
  };
  const grouped = new Map<number, Line[]>();
  for (const line of lines) {
    const key = keyOf(line);
    if (typeof key === 'string') problems.push(`line ${line.line}: ${key}`);
    else {
      const known = grouped.get(key);
      if (known === undefined) grouped.set(key, [line]);
      else known.push(line);
    }
  }
  return grouped;
}

function keyOfNamed(asked: AskedOrganization | undefined, name: string): number | string {
  if (asked === undefined)
    return `organization: ${shown(name)} is none of the organizations that this command works on`;
  return (
    asked.held?.orgKey ?? `organization: the platform has never answered for ${shown(name)}; load it first`
  );
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 60));
}
