/** Which organizations of ORGANIZATIONS_FILE a command works on: `--organization NAME`. */
import type { OrganizationEntry } from './organization-entry.ts';

/** The names after `--organization`, and whether the command works on exactly one organization. */
export interface OrganizationChoice {
  readonly names: readonly string[];
  readonly takesOne: boolean;
}

/** Names of the file that a problem lists. */
const mostListed = 10;

/**
 * The entries with these names in the order of the file; all without a name. `entries` is undefined without the file.
 * Adds a sentence to `problems` for each name that is unknown, and where exactly one is needed.
 */
export function chosenOrganizations(
  entries: readonly OrganizationEntry[] | undefined,
  { names, takesOne }: OrganizationChoice,
  problems: string[],
): readonly OrganizationEntry[] | undefined {
  if (entries === undefined) {
    if (names.length > 0)
      problems.push(
        '--organization: expected ORGANIZATIONS_FILE to be set, because it has the names; set it, or leave the option out',
      );
    return undefined;
  }
  const wanted = new Set(names);
  const chosen = names.length === 0 ? entries : entries.filter(({ name }) => wanted.has(name));
  const known = new Set(entries.map(({ name }) => name));
  for (const name of wanted)
    if (!known.has(name))
      problems.push(
        `--organization: expected a name of ORGANIZATIONS_FILE (${listed([...known])}), got ${JSON.stringify(name)}`,
      );
  if (takesOne && wanted.size !== 1)
    problems.push(
      `--organization: expected the name of one organization of ORGANIZATIONS_FILE (${listed([...known])}), got ${wanted.size === 0 ? 'none' : wanted.size}`,
    );
  return chosen;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, mostListed).join(', ');
  return names.length > mostListed ? `${shown} and ${names.length - mostListed} more` : shown;
}
