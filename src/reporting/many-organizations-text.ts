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

interface OrganizationNumbers {
  readonly organization: string;
  readonly complete: boolean;
  readonly endpoints: readonly EndpointNumbers[];
  readonly other_sources: readonly EndpointNumbers[];
}

/** Lines of the whole text, with the summary, the headings, and the last two. */
const mostLines = 100;
const otherLines = 5;

/**
 * A summary, and a line for each organization, in at most 100 lines: those that are not complete first, then those that
 * lack most. The texts must be sanitized.
 */
export function describeManyOrganizations(organizations: readonly OrganizationNumbers[]): string {
  const rows = organizations.map(numbersOf).sort((a, b) => a.order - b.order || b.lacks - a.lacks);
  const incomplete = organizations.filter(({ complete }) => !complete).length;
  const shown = rows.slice(0, mostLines - otherLines);
  const left = rows.length - shown.length;
  const leftIncomplete = Math.max(0, incomplete - shown.length);
  return [
    `${organizations.length} organizations: ${organizations.length - incomplete} complete, ${incomplete} incomplete`,
    textTable(
      ['organization', 'state', 'last day', 'gaps', 'failed', 'pending', 'refused'],
      shown.map(({ cells }) => cells),
      Number.POSITIVE_INFINITY,
    ),
    ...(left > 0 ? [`and ${left} more, ${leftIncomplete} of them incomplete; \`--json\` has all`] : []),
    ...(incomplete > 0 ? [`Next: \`${inShell('nightly')}\` loads the missing days.`] : []),
  ].join('\n');
}

function numbersOf({ organization, complete, endpoints, other_sources }: OrganizationNumbers) {
  const all = [...endpoints, ...other_sources];
  const sum = (count: (of: EndpointNumbers) => number) => all.reduce((total, of) => total + count(of), 0);
  const lastDays = endpoints.map(({ last_day }) => last_day ?? '').sort();
  const [gaps, failed, pending, refused] = [
    sum(({ gaps_count }) => gaps_count),
    sum(({ failed_count }) => failed_count),
    sum(({ pending_count }) => pending_count),
    sum(({ days_refused }) => days_refused),
  ];
  return {
    order: Number(complete),
    lacks: gaps + failed + pending + refused,
    cells: [
      organization,
      complete ? 'complete' : 'incomplete',
      lastDays[0] || '–',
      gaps,
      failed,
      pending,
      refused,
    ],
  };
}
