/** Describes the result of a run, for a terminal or a log file. */
import { CredentialsRefusedError, InterruptedError } from '../model/errors.ts';
import { inShell } from '../model/installation.ts';
import type { RunReport } from '../model/run-report.ts';
import { counted, numberText } from './number-text.ts';
import { reasonsInWords } from './same-reason.ts';
import { whatToDecide } from './what-to-decide.ts';

/** Most lines of each kind that are listed; further ones are only counted. */
const mostListed = 10;

/** A readable summary of a run in several lines, with the next step if `goesOn`. The texts must be sanitized. */
export function describeRun(
  report: RunReport,
  { goesOn = true }: { readonly goesOn?: boolean } = {},
): string {
  const { summary, failures, refused, drift, loaded } = report;
  const { slices, rows, requests } = summary;
  // After a failure, lines in which all figures are zero are left out.
  const isBad = summary.status !== 'succeeded';
  const lines = [
    `Run ${summary.run_id} ${summary.status} in ${(summary.duration_ms / 1000).toFixed(1)} s`,
    ...listed('Failed:', reasonsInWords(failures)),
    ...(isBad && slices.planned === 0
      ? []
      : [
          `  slices    ${numberText(slices.planned)} planned: ${figures({ ...slices, planned: 0 }) || 'nothing to do'}`,
        ]),
    ...states(summary.sources ?? {}),
    ...spans(loaded),
    ...(isBad && rows.read === 0
      ? []
      : [
          `  records   ${numberText(rows.read)} read; rows: ${figures({ ...rows, read: 0 }) || 'none changed'}`,
        ]),
    `  requests  ${requests.sent} sent, ${requests.retried} of them retries`,
  ];
  if (slices.pending > 0)
    lines.push(
      `${counted(slices.pending, 'slice is', 'slices are')} pending: the platform has no rows for ${slices.pending === 1 ? 'it' : 'them'} yet; the next run asks again.`,
    );
  if (rows.rejected > 0)
    lines.push(
      `${counted(rows.rejected, 'row was', 'rows were')} rejected and kept: select endpoint, usage_date, reason from etl.rejected_row where run_id = ${summary.run_id}`,
    );
  if (summary.forgotten !== undefined)
    lines.push(
      `${counted(summary.forgotten, 'user')} had an e-mail that \`forget-user\` was asked to forget, and ${summary.forgotten === 1 ? 'was' : 'were'} forgotten.`,
    );
  lines.push(...listed('Refused:', reasonsInWords(refused)), ...whatToDecide(refused));
  lines.push(
    ...listed(
      'Unexpected in payloads (etl.drift):',
      drift.map(
        ({ endpoint, kind, path, occurrences, example }) =>
          `${endpoint} ${kind} ${path} × ${occurrences}, such as ${example}`,
      ),
    ),
  );
  if (goesOn) lines.push(...whatNext(report));
  return lines.join('\n');
}

/** Why a run failed, in one sentence; undefined when it succeeded. */
export function runProblem(
  { summary, failures, stoppedBy }: RunReport,
  explained: string,
): string | undefined {
  if (stoppedBy !== undefined) return explained;
  const [first, ...others] = reasonsInWords(failures);
  if (first === undefined) return undefined;
  const more = others.length > 0 ? `; and ${counted(others.length, 'other reason')}` : '';
  return `${counted(summary.slices.failed, 'slice')} failed: ${first}${more}`;
}

/** A line with the states of optional sources, without sources that are off. */
function states(sources: Readonly<Record<string, string>>): string[] {
  const told = Object.entries(sources).filter(([, state]) => state !== 'off');
  return told.length === 0 ? [] : [`  sources   ${told.map((each) => each.join(' ')).join(', ')}`];
}

/** The loaded days; endpoints with the same days share a line. */
function spans(loaded: RunReport['loaded']): string[] {
  const groups = Map.groupBy(loaded, ({ from, to }) => (from === to ? from : `${from} to ${to}`));
  return [...groups].map(
    ([days, of]) => `  loaded    ${days}: ${of.map(({ endpoint }) => endpoint).join(', ')}`,
  );
}

/** Sentences about the next step. */
function whatNext({ summary, stoppedBy }: RunReport): string[] {
  const status = `\`${inShell('status')}\` shows what is loaded and what is missing`;
  if (stoppedBy instanceof InterruptedError)
    return [`Interrupted: loaded slices stay, and the same command continues. ${status}.`];
  if (stoppedBy instanceof CredentialsRefusedError)
    return [`Loaded slices stay. With a key that the platform accepts, the same command goes on. ${status}.`];
  if (summary.status !== 'succeeded')
    return [
      `Failed slices keep their rows; the same command, or the next night, reads them again. ${status}.`,
    ];
  return [`Next: ${status}; \`${inShell('verify')}\` compares it with the platform.`];
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
