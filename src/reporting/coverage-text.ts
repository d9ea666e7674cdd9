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
  readonly gaps: readonly string[];
  readonly gaps_can_be_filled: boolean;
  readonly failed: readonly string[];
  readonly refused: readonly string[];
}

/** The fields of a run that the text shows. */
interface RunShown {
  readonly run_id: number;
  readonly job: string;
  readonly status: string;
  readonly started_at: string;
  readonly error: string | null;
}

/** The result of `status`. */
interface Status {
  readonly organizations: readonly {
    readonly organization: string;
    readonly complete: boolean;
    readonly endpoints: readonly EndpointCoverage[];
    /** Coverage of sources that have no daily history. */
    readonly other_sources: readonly EndpointCoverage[];
    readonly last_run: RunShown | null;
  }[];
  /** The newest run of all organizations, also one that ended before it knew its organization. */
  readonly last_run: RunShown | null;
}

/**
 * Coverage of every organization as tables, missing days, the last run, and the next step. The texts must be sanitized.
 */
export function describeCoverage({ organizations, last_run }: Status): string {
  const parts = organizations.map(({ organization, complete, last_run: lastOfAll, ...of }) => {
    const endpoints = [...of.endpoints, ...of.other_sources];
    return [
      `${organization}: ${complete ? 'complete' : 'incomplete'}`,
      textTable(
        ['endpoint', 'first day', 'last day', 'loaded', 'empty', 'pending', 'gaps', 'failed', 'refused'],
        endpoints.map((row) => [
          row.endpoint,
          row.first_day ?? '–',
          row.last_day ?? '–',
          row.days_loaded,
          row.days_empty,
          row.days_pending,
          row.gaps.length,
          row.failed.length,
          row.refused.length,
        ]),
      ),
      ...endpoints.flatMap(({ endpoint, gaps, gaps_can_be_filled, failed, refused }) => [
        ...(gaps.length > 0
          ? [
              `${endpoint} lacks ${firstFew(gaps)}${gaps_can_be_filled ? '' : ', which can no longer be read'}`,
            ]
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
      ...whatToDecide(
        endpoints.flatMap(({ endpoint, refused }) => refused.map((key) => ({ endpoint, key }))),
      ),
    ].join('\n');
  });
  if (organizations.length === 0) parts.push(`Nothing is loaded yet. Start with \`${inShell('backfill')}\`.`);
  const isShown = organizations.some((organization) => organization.last_run?.run_id === last_run?.run_id);
  if (last_run !== null && !isShown) parts.push(`Last run, of no organization: ${runInWords(last_run)}`);
  return parts.join('\n\n');
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

function runInWords({ run_id, job, status, started_at, error }: RunShown): string {
  const when = started_at.replace('T', ' ').replace(/(:\d+)?Z$/, ' UTC');
  return `${run_id}, ${job}, ${when}: ${status}${error === null ? '' : `: ${error}`}`;
}

function firstFew(days: readonly string[]): string {
  const shown = days.slice(0, 5).join(', ');
  return days.length > 5 ? `${shown} and ${days.length - 5} more` : shown;
}
