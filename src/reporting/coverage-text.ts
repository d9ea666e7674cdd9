import { inShell } from '../model/installation.ts';
import {
  describeManyOrganizations,
  type NamedOrganization,
  shownName,
  worstFirst,
} from './many-organizations-text.ts';
import { textTable } from './text-table.ts';
import { whatToDecide } from './what-to-decide.ts';

/** Where tables of several organizations take more lines, a line of each is enough. */
const mostLines = 100;

/** The coverage of one endpoint; days as `YYYY-MM-DD`. */
export interface EndpointCoverage {
  readonly endpoint: string;
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  readonly days_refused: number;
  readonly gaps: readonly string[];
  readonly gaps_count: number;
  readonly gaps_can_be_filled: boolean;
  readonly failed: readonly string[];
  readonly failed_count: number;
  readonly pending_count: number;
  readonly refused: readonly string[];
}

/** The fields of a run that the text shows. */
interface RunShown {
  readonly run_id: number;
  readonly job: string;
  readonly status: string;
  readonly started_at: string;
  readonly error: string | null;
  /** Whether its process died without closing it. */
  readonly died: boolean;
  /** For a load that ended before it knew its organization: since when such loads failed. */
  readonly failing_since: string | null;
}

/** The newest load, and the newest run of another command. */
interface LastRunsShown {
  readonly last_load: RunShown | null;
  readonly last_other: RunShown | null;
}

/** The coverage of an organization. */
interface CoveredOrganization extends NamedOrganization, LastRunsShown {
  readonly complete: boolean;
  readonly endpoints: readonly EndpointCoverage[];
  /** Sources without history. */
  readonly other_sources: readonly EndpointCoverage[];
}

/** The result of `status`, with the newest runs of all. */
interface Status extends LastRunsShown {
  readonly organizations: readonly CoveredOrganization[];
}

/**
 * Coverage of every organization as tables, missing days, the last load and the last other run, and the next step; the
 * worst come first. Where that takes too many lines, each organization has one line. The texts must be sanitized.
 */
export function describeCoverage({ organizations, ...newest }: Status): string {
  const ofNone = {
    last_load: unlessShown(newest.last_load, organizations),
    last_other: unlessShown(newest.last_other, organizations),
  };
  // The lines of the only organization would tell older runs.
  const isOnly = organizations.length === 1;
  const parts = worstFirst(organizations).map((each) =>
    describeOrganization(isOnly ? { ...each, ...withNewer(each, ofNone) } : each),
  );
  if (organizations.length === 0) parts.push(`Nothing is loaded yet. Start with \`${inShell('backfill')}\`.`);
  const linesOfNone = isOnly ? [] : lastRunsInWords(ofNone, ', of no organization');
  if (linesOfNone.length > 0) parts.unshift(linesOfNone.join('\n'));
  const text = parts.join('\n\n');
  if (organizations.length < 2 || text.split('\n').length <= mostLines) return text;
  return describeManyOrganizations(organizations);
}

function describeOrganization({ complete, ...of }: CoveredOrganization): string {
  const heading = `${shownName(of)}: ${complete ? 'complete' : 'incomplete'}`;
  if (of.organization === null)
    return [`${heading}: the platform has never answered for it`, ...lastRunsInWords(of)].join('\n');
  const endpoints = [...of.endpoints, ...of.other_sources];
  return [
    heading,
    textTable(
      ['endpoint', 'first day', 'last day', 'loaded', 'empty', 'pending', 'gaps', 'failed', 'refused'],
      endpoints.map((row) => [
        row.endpoint,
        row.first_day ?? '–',
        row.last_day ?? '–',
        row.days_loaded,
        row.days_empty,
        row.days_pending,
        row.gaps_count,
        row.failed_count,
        row.refused.length,
      ]),
    ),
    ...endpoints.flatMap(({ endpoint, gaps, gaps_can_be_filled, failed, refused }) => [
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
    ...lastRunsInWords(of),
    ...(complete || isOnlyRefused(endpoints)
      ? []
      : [`Next: \`${inShell('nightly')}\` loads the missing days.`]),
    ...whatToDecide(endpoints.flatMap(({ endpoint, refused }) => refused.map((key) => ({ endpoint, key })))),
  ].join('\n');
}

/** Whether only refused days keep the data from being complete: no night can load them, a person must decide. */
function isOnlyRefused(endpoints: readonly EndpointCoverage[]): boolean {
  return (
    endpoints.some(({ refused }) => refused.length > 0) &&
    endpoints.every(({ gaps, gaps_can_be_filled, failed, days_pending }) => {
      const isFilled = gaps.length === 0 || !gaps_can_be_filled;
      return isFilled && failed.length === 0 && days_pending === 0;
    })
  );
}

function lastRunsInWords({ last_load, last_other }: LastRunsShown, ofWhom = ''): string[] {
  return [
    ...(last_load === null ? [] : [`Last load: ${runInWords(last_load)}`]),
    ...(last_other === null ? [] : [`Last other run${ofWhom}: ${runInWords(last_other)}`]),
  ];
}

/** The runs without an organization are the newest of all. */
function withNewer(own: LastRunsShown, ofNone: LastRunsShown): LastRunsShown {
  return {
    last_load: ofNone.last_load ?? own.last_load,
    last_other: ofNone.last_other ?? own.last_other,
  };
}

/** The run; null if it is shown with an organization already. */
function unlessShown(run: RunShown | null, organizations: readonly LastRunsShown[]): RunShown | null {
  const isShown = organizations.some(({ last_load, last_other }) =>
    [last_load?.run_id, last_other?.run_id].includes(run?.run_id),
  );
  return isShown ? null : run;
}

function runInWords({ run_id, job, status, started_at, error, died, failing_since }: RunShown): string {
  const state = died ? 'died (no process holds it any more); the next nightly closes it' : status;
  const since =
    failing_since === null
      ? ''
      : `; it ended before it knew its organization${failing_since === started_at ? '' : `, as all since ${timeInWords(failing_since)}`}`;
  return `${run_id}, ${job}, ${timeInWords(started_at)}: ${state}${error === null ? '' : `: ${error}`}${since}`;
}

function timeInWords(time: string): string {
  return time.replace('T', ' ').replace(/(:\d+)?Z$/, ' UTC');
}

function firstFew(days: readonly string[]): string {
  const shown = days.slice(0, 5).join(', ');
  return days.length > 5 ? `${shown} and ${days.length - 5} more` : shown;
}
