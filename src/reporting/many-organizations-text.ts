/** The coverage of many organizations in one line each. */
import { inShell } from '../model/installation.ts';
import { textTable } from './text-table.ts';

/** The coverage of an endpoint, in numbers. */
interface EndpointNumbers {
  readonly last_day: string | null;
  readonly gaps_count: number;
  readonly gaps_can_be_filled: boolean;
  readonly failed_count: number;
  readonly pending_count: number;
  readonly days_refused: number;
}

/** An organization, and its name in ORGANIZATIONS_FILE. */
export interface NamedOrganization {
  readonly name?: string;
  /** Null if the platform has never answered for it. */
  readonly organization: string | null;
}

interface OrganizationNumbers extends NamedOrganization {
  readonly complete: boolean;
  readonly endpoints: readonly EndpointNumbers[];
  readonly other_sources: readonly EndpointNumbers[];
}

/** Lines of the whole text, with the summary, the headings, and the last two. */
const mostLines = 100;
const otherLines = 5;

/** The name of an organization, with its id where both are known. */
export function shownName({ name, organization }: NamedOrganization): string {
  if (name === undefined) return organization ?? '';
  return organization === null ? name : `${name} (${organization})`;
}

/** Those without an answer come first, then those that are not complete, then those that lack most. */
export function worstFirst<Organization extends OrganizationNumbers>(
  organizations: readonly Organization[],
): Organization[] {
  const lacks = new Map(organizations.map((each) => [each, lacksOf(each)]));
  const lacksOfOne = (each: Organization) => lacks.get(each) ?? 0;
  return organizations.toSorted(
    (a, b) =>
      Number(b.organization === null) - Number(a.organization === null) ||
      Number(a.complete) - Number(b.complete) ||
      lacksOfOne(b) - lacksOfOne(a),
  );
}

function lacksOf(organization: OrganizationNumbers): number {
  const { gaps, failed, pending, refused } = sumsOf(organization);
  return gaps + failed + pending + refused;
}

function sumsOf({ endpoints, other_sources }: OrganizationNumbers) {
  const all = [...endpoints, ...other_sources];
  const sum = (count: (of: EndpointNumbers) => number) => all.reduce((total, of) => total + count(of), 0);
  return {
    gaps: sum(({ gaps_count }) => gaps_count),
    failed: sum(({ failed_count }) => failed_count),
    pending: sum(({ pending_count }) => pending_count),
    refused: sum(({ days_refused }) => days_refused),
  };
}

/**
 * A summary, and a line for each organization, in at most 100 lines, the worst first. The texts must be sanitized.
 */
export function describeManyOrganizations(organizations: readonly OrganizationNumbers[]): string {
  const incomplete = organizations.filter(({ complete }) => !complete).length;
  const shown = worstFirst(organizations).slice(0, mostLines - otherLines);
  const left = organizations.length - shown.length;
  const leftIncomplete = Math.max(0, incomplete - shown.length);
  return [
    `${organizations.length} organizations: ${organizations.length - incomplete} complete, ${incomplete} incomplete`,
    textTable(
      ['organization', 'state', 'last day', 'gaps', 'failed', 'pending', 'refused'],
      shown.map(cellsOf),
      Number.POSITIVE_INFINITY,
    ),
    ...(left > 0 ? [`and ${left} more, ${leftIncomplete} of them incomplete; \`--json\` has all`] : []),
    ...(incomplete > 0 ? [`Next: \`${inShell('nightly')}\` loads the missing days.`] : []),
  ].join('\n');
}

function cellsOf(shown: OrganizationNumbers): (string | number)[] {
  const { organization, complete, endpoints } = shown;
  const { gaps, failed, pending, refused } = sumsOf(shown);
  const lastDays = endpoints.map(({ last_day }) => last_day ?? '').sort();
  const state = organization === null ? 'never answered' : 'incomplete';
  const numbers = [gaps, failed, pending, refused];
  return [shownName(shown), complete ? 'complete' : state, lastDays[0] || '–', ...numbers];
}
