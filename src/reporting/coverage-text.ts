import { inShell } from '../model/installation.ts';
import { textTable } from './text-table.ts';

/** What the text shows of one endpoint; days as `YYYY-MM-DD`. */
interface EndpointCoverage {
  readonly endpoint: string;
  readonly first_day: string | null;
  readonly last_day: string | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  readonly gaps: readonly string[];
  readonly failed: readonly string[];
}

/**
 * Coverage of every organization as tables, and the days that are missing. The texts in it must have passed the door for
 * foreign text.
 */
export function describeCoverage(
  organizations: readonly {
    organization: string;
    complete: boolean;
    endpoints: readonly EndpointCoverage[];
  }[],
): string {
  if (organizations.length === 0) return `Nothing is loaded yet. Start with \`${inShell('backfill')}\`.`;
  return organizations
    .map(({ organization, complete, endpoints }) =>
      [
        `${organization}: ${complete ? 'complete' : 'incomplete'}`,
        textTable(
          ['endpoint', 'first day', 'last day', 'loaded', 'empty', 'pending', 'gaps', 'failed'],
          endpoints.map((row) => [
            row.endpoint,
            row.first_day ?? '–',
            row.last_day ?? '–',
            row.days_loaded,
            row.days_empty,
            row.days_pending,
            row.gaps.length,
            row.failed.length,
          ]),
        ),
        ...endpoints.flatMap(({ endpoint, gaps, failed }) => [
          ...(gaps.length > 0 ? [`${endpoint} lacks ${firstFew(gaps)}`] : []),
          ...(failed.length > 0 ? [`${endpoint} failed for ${firstFew(failed)}`] : []),
        ]),
      ].join('\n'),
    )
    .join('\n\n');
}

function firstFew(days: readonly string[]): string {
  const shown = days.slice(0, 5).join(', ');
  return days.length > 5 ? `${shown} and ${days.length - 5} more` : shown;
}
