import { inShell } from '../model/installation.ts';
import { textTable } from './text-table.ts';
import { whatToDecide } from './what-to-decide.ts';

/** The coverage of one endpoint; days as `YYYY-MM-DD`. */
interface EndpointCoverage {
  readonly endpoint: string;
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  /** Missing for some of many organizations; then the numbers below are there. */
  readonly gaps?: readonly string[];
  readonly gaps_count?: number;
  readonly gaps_can_be_filled: boolean;
  readonly failed?: readonly string[];
  readonly failed_count?: number;
  readonly refused: readonly string[];
}

/** A run, as far as the text shows it. */
interface RunShown {
  readonly run_id: number;
  readonly job: string;
  readonly status: string;
  readonly started_at: string;
  readonly error: string | null;
}

/** The coverage of an organization. */
interface CoveredOrganization {
  /** Its name in ORGANIZATIONS_FILE. */
  readonly name?: string;
  /** Null if the platform has never answered for it. */
  readonly organization: string | null;
  readonly complete: boolean;
  readonly endpoints: readonly EndpointCoverage[];
  /** Sources without history. */
  readonly other_sources: readonly EndpointCoverage[];
  readonly last_run: RunShown | null;
}

/** Lines for several organizations. */
const mostLines = 100;

/** The result of `status`. */
interface Status {
  readonly organizations: readonly CoveredOrganization[];
  /** The newest run of all, even without an organization. */
  readonly last_run: RunShown | null;
}

/**
 * Coverage of every organization as tables, missing days, the last run, and the next step. Of several organizations the
 * worst come first; where that takes too many lines, each organization has one line. The texts must be sanitized.
 */
export function describeCoverage({ organizations, last_run }: Status): string {
  const sorted = organizations.toSorted((a, b) => badness(b) - badness(a));
  const parts = sorted.map(describeOrganization);
  if (organizations.length === 0) parts.push(`Nothing is loaded yet. Start with \`${inShell('backfill')}\`.`);
  const isShown = organizations.some((organization) => organization.last_run?.run_id === last_run?.run_id);
  if (last_run !== null && !isShown) parts.push(`Last run, of no organization: ${runInWords(last_run)}`);
  const text = parts.join('\n\n');
  return organizations.length > 1 && text.split('\n').length > mostLines ? describeMany(sorted) : text;
}

function describeOrganization(shown: CoveredOrganization): string {
  const { organization, complete, last_run: lastOfAll } = shown;
  if (organization === null) return headingOf(shown);
  const endpoints = [...shown.endpoints, ...shown.other_sources];
  return [
    headingOf(shown),
    textTable(
      ['endpoint', 'first day', 'last day', 'loaded', 'empty', 'pending', 'gaps', 'failed', 'refused'],
      endpoints.map((row) => [
        row.endpoint,
        row.first_day ?? '–',
        row.last_day ?? '–',
        row.days_loaded,
        row.days_empty,
        row.days_pending,
        gapsOf(row),
        failedOf(row),
        row.refused.length,
      ]),
    ),
    ...endpoints.flatMap(({ endpoint, gaps = [], gaps_can_be_filled, failed = [], refused }) => [
      ...(gaps.length > 0
        ? [`${endpoint} lacks ${firstFew(gaps)}${gaps_can_be_filled ? '' : ', which can no longer be read'}`]
        : []),
      ...(failed.length > 0 ? [`${endpoint} failed for ${firstFew(failed)}`] : []),
      ...(refused.length > 0
        ? [
            `${endpoint} was refused for ${firstFew(refused)}: the answer would delete most of the stored rows`,
          ]
        : []),
    ]),
    ...(lastOfAll === null ? [] : [`Last run: ${runInWords(lastOfAll)}`]),
    ...(complete || isOnlyRefused(endpoints)
      ? []
      : [`Next: \`${inShell('nightly')}\` loads the missing days.`]),
    ...whatToDecide(endpoints.flatMap(({ endpoint, refused }) => refused.map((key) => ({ endpoint, key })))),
  ].join('\n');
}

const gapsOf = ({ gaps = [], gaps_count = gaps.length }: EndpointCoverage) => gaps_count;
const failedOf = ({ failed = [], failed_count = failed.length }: EndpointCoverage) => failed_count;

/** A number that is larger for an organization in a worse state; one that never answered is the worst. */
function badness({ organization, complete, endpoints, other_sources }: CoveredOrganization): number {
  if (organization === null) return Number.POSITIVE_INFINITY;
  if (complete) return -1;
  const missing = [...endpoints, ...other_sources].map(
    (row) => (row.gaps_can_be_filled ? gapsOf(row) : 0) + failedOf(row) + row.refused.length,
  );
  return missing.reduce((sum, count) => sum + count, 0);
}

function headingOf({ name, organization, complete }: CoveredOrganization): string {
  if (organization === null) return `${name}: incomplete: the platform has never answered for it`;
  const shown = name === undefined ? organization : `${name} (${organization})`;
  return `${shown}: ${complete ? 'complete' : 'incomplete'}`;
}

/** One line for each organization. */
function describeMany(organizations: readonly CoveredOrganization[]): string {
  const lines = organizations.map((shown) => {
    const endpoints = [...shown.endpoints, ...shown.other_sources];
    const counts = [
      ['missing', endpoints.reduce((sum, row) => sum + gapsOf(row), 0)],
      ['failed', endpoints.reduce((sum, row) => sum + failedOf(row), 0)],
      ['refused', endpoints.reduce((sum, row) => sum + row.refused.length, 0)],
    ] as const;
    const words = counts.filter(([, count]) => count > 0).map(([word, count]) => `${count} ${word}`);
    const lastDays = shown.endpoints.flatMap(({ last_day }) => last_day ?? []).sort();
    const until = lastDays[0] === undefined ? [] : [`until ${lastDays[0]}`];
    const about = [...words, ...until].join(', ');
    return `${headingOf(shown)}${about === '' ? '' : `: ${about}`}`;
  });
  if (lines.length <= mostLines) return lines.join('\n');
  const rest = organizations.slice(mostLines - 1);
  const complete = rest.filter((organization) => organization.complete).length;
  return [
    ...lines.slice(0, mostLines - 1),
    `… and ${rest.length} more, ${complete} of them complete; --json tells of each`,
  ].join('\n');
}

/** Whether only refused days are left: no night can complete them, a person must decide. */
function isOnlyRefused(endpoints: readonly EndpointCoverage[]): boolean {
  return (
    endpoints.some(({ refused }) => refused.length > 0) &&
    endpoints.every((row) => {
      const isFilled = gapsOf(row) === 0 || !row.gaps_can_be_filled;
      return isFilled && failedOf(row) === 0 && row.days_pending === 0;
    })
  );
}

function runInWords({ run_id, job, status, started_at, error }: RunShown): string {
  const when = started_at.replace('T', ' ').replace(/(:\d+)?Z$/, ' UTC');
  return `${run_id}, ${job}, ${when}: ${status}${error === null ? '' : `: ${error}`}`;
}

function firstFew(days: readonly string[]): string {
  const shown = days.slice(0, 5).join(', ');
  return days.length > 5 ? `${shown} and ${days.length - 5} more` : shown;
}
