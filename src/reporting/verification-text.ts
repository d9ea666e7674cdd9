/** Describes the result of a verification. */

import { inShell } from '../model/installation.ts';
import type { ComparedSlices, Contradiction, VerificationReport } from '../model/verification.ts';
import { counted, groupedDigits } from './number-text.ts';
import { reasonsInWords } from './same-reason.ts';
import { textTable } from './text-table.ts';

/** Most contradictions and failures that are listed; further ones are only counted. */
const mostListed = 10;

/** The checks as a table, then remainders, contradictions and failed checks. The texts must be sanitized. */
export function describeVerification({
  runId,
  checks,
  contradictions,
  remainders,
  archive,
  failures,
  stoppedBy,
}: VerificationReport): string {
  const total = checks.reduce((sum, check) => sum + check.contradictions, 0);
  const reasons = reasonsInWords(failures, 'part');
  const parts = [
    headline(runId, { made: checks.length, failed: failures.length, contradictions: total, stoppedBy }),
    textTable(
      ['check', 'compared', 'ok', 'remainders', 'contradictions'],
      checks.map((check) => [check.name, check.compared, check.ok, check.remainders, check.contradictions]),
    ),
  ];
  if (archive !== undefined) parts.push(archiveInWords(archive));
  if (remainders.length > 0)
    parts.push(
      [
        'Not attributed (the platform may list only a part):',
        textTable(
          ['check', 'figure', 'days', 'of', 'not attributed'],
          remainders.map(({ check, detail, days, expected, unattributed }) => [
            check,
            detail,
            days,
            figure(expected),
            figure(unattributed),
          ]),
        ),
      ].join('\n'),
    );
  if (total > 0)
    parts.push(
      [
        `Contradictions (all in etl.check_result; a day that the platform has restated since: \`${inShell('backfill --force')}\`; a row altered here: \`${inShell('replay')}\`):`,
        ...contradictions.slice(0, mostListed).map((contradiction) => `  ${inWords(contradiction)}`),
        ...(total > mostListed ? [`  and ${figure(String(total - mostListed))} more`] : []),
      ].join('\n'),
    );
  if (failures.length > 0)
    parts.push(
      [
        'Could not be checked:',
        ...reasons.slice(0, mostListed).map((reason) => `  ${reason}`),
        ...(reasons.length > mostListed ? [`  and ${reasons.length - mostListed} more`] : []),
      ].join('\n'),
    );
  return parts.join('\n\n');
}

/** The result in one line. If nothing was compared, the line says so: then no contradiction means nothing. */
function headline(
  runId: number,
  {
    made,
    failed,
    contradictions,
    stoppedBy,
  }: {
    readonly made: number;
    readonly failed: number;
    readonly contradictions: number;
    readonly stoppedBy: unknown;
  },
): string {
  const found = contradictions === 0 ? 'no contradictions' : counted(contradictions, 'contradiction');
  if (made === 0) return `Verification ${runId} failed before anything was compared`;
  if (stoppedBy !== undefined)
    return `Verification ${runId} was stopped: ${found} in the first ${counted(made, 'check')}`;
  if (failed === 0) return `Verification ${runId}: ${found} in ${counted(made, 'check')}`;
  return `Verification ${runId} is not complete: ${counted(failed, 'part')} could not be compared; ${found} in the rest`;
}

function archiveInWords({ slices_compared, slices_not_compared }: ComparedSlices): string {
  const compared = `Compared with the raw archive: ${counted(slices_compared, 'slice')}`;
  if (slices_not_compared === 0) return compared;
  return `${compared}. Not compared: ${counted(slices_not_compared, 'slice')} without an archive, because it is expired or was never kept`;
}

function inWords({ check, endpoint, usage_date, expected, actual, detail }: Contradiction): string {
  const where = [check, endpoint, usage_date].filter((part) => part !== null && part !== '').join(' ');
  const figures =
    expected === null && actual === null
      ? ''
      : `: expected ${figure(expected ?? 'none')}, got ${figure(actual ?? 'none')}`;
  return `${where}: ${detail}${figures}`;
}

/** Exact decimal text with thousands separators. */
function figure(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const grouped = groupedDigits(whole);
  const rest = fraction?.replace(/(?<!0)0+$/, '') ?? '';
  return rest === '' ? grouped : `${grouped}.${rest}`;
}
