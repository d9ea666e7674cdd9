/** The result of a run in words, for a terminal or a log file. */
import type { RunReport } from '../model/run.ts';
import { numberText } from './number-text.ts';

/** Lines listed of each kind before the rest is only counted. */
const mostListed = 10;

/** A readable summary of a run, several lines long. The texts in it must have passed the door for foreign text. */
export function describeRun({ summary, failures, refused, drift }: RunReport): string {
  const { slices, rows, requests } = summary;
  const lines = [
    `Run ${summary.run_id} ${summary.status} in ${(summary.duration_ms / 1000).toFixed(1)} s`,
    `  slices    ${slices.planned} planned: ${figures({ ...slices, planned: 0 }) || 'nothing to do'}`,
    `  rows      ${numberText(rows.read)} read: ${figures({ ...rows, read: 0 }) || 'nothing changed'}`,
    `  requests  ${requests.sent} sent, ${requests.retried} of them retries`,
  ];
  if (slices.pending > 0)
    lines.push(
      `${slices.pending} slices are pending: the platform has no rows for them yet; the next run asks again.`,
    );
  if (rows.rejected > 0) lines.push(`${rows.rejected} rows were rejected and kept in etl.rejected_row.`);
  lines.push(
    ...listed(
      'Failed:',
      failures.map(({ endpoint, key, reason }) => `${endpoint} ${key}: ${reason}`),
    ),
  );
  lines.push(
    ...listed(
      'Refused:',
      refused.map(({ endpoint, key, reason }) => `${endpoint} ${key}: ${reason}`),
    ),
  );
  lines.push(
    ...listed(
      'Unexpected in payloads (etl.drift):',
      drift.map(
        ({ endpoint, kind, path, occurrences, example }) =>
          `${endpoint} ${kind} ${path} × ${occurrences}, such as ${example}`,
      ),
    ),
  );
  return lines.join('\n');
}

function figures(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${numberText(count)} ${name}`)
    .join(', ');
}

function listed(title: string, items: readonly string[]): string[] {
  if (items.length === 0) return [];
  const rest = items.length - mostListed;
  return [
    title,
    ...items.slice(0, mostListed).map((item) => `  ${item}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}
