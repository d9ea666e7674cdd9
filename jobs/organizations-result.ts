/** The output of a command that ran for organizations of ORGANIZATIONS_FILE: sums, and a part for each organization. */
import { explain } from '../src/model/errors.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import type { RunStatus } from '../src/model/run.ts';
import type { RunSummary, SourceState } from '../src/model/run-report.ts';
import type { Source } from '../src/model/source.ts';
import type { CompactReport } from '../src/pipeline/organizations/compact-report.ts';
import type { OrganizationEnd } from '../src/pipeline/organizations/each-organization.ts';
import { firstStates, readableSources } from '../src/pipeline/receive/optional-sources.ts';
import { counted, numberText } from '../src/reporting/number-text.ts';
import { exitCode, exitCodeOf, type JobContext, type JobResult } from './job.ts';
import { tell } from './tell.ts';

/** The figures of a part. */
type Figures = Pick<RunSummary, 'slices' | 'rows' | 'requests'>;

/** A part of the output; the names are a public interface (`--json`). */
export interface OrganizationPart
  extends Figures,
    Pick<Partial<RunSummary>, 'sources' | 'refused' | 'forgotten'> {
  readonly name: string;
  readonly org_id: string | null;
  readonly exit_code: number;
  /** Null if no run could begin. */
  readonly run_id: number | null;
  readonly status: RunStatus;
  readonly duration_ms: number;
  /** Why `exit_code` is not 0, in one sentence. */
  readonly error?: string;
}

/** The largest number of organizations that an error or a text names; it counts the others. */
const mostNamed = 100;

const noFigures: Figures = {
  slices: { planned: 0, loaded: 0, unchanged: 0, empty: 0, pending: 0, refused: 0, failed: 0 },
  rows: { read: 0, inserted: 0, updated: 0, deleted: 0, rejected: 0 },
  requests: { sent: 0, retried: 0 },
};

/** In the place of a report: there was nothing to do, so there was no run. */
export const nothingDone = 'nothing done';

/**
 * The part of an organization. `report` is undefined if no run could begin; `sources` are the states of its sources then.
 */
export function partOf(
  end: Pick<OrganizationEnd<unknown>, 'name' | 'organizationId' | 'error' | 'durationMs'>,
  report: CompactReport | typeof nothingDone | undefined,
  { redact }: Pick<JobContext, 'redact'>,
  sources?: Readonly<Record<string, SourceState>>,
): OrganizationPart {
  const { name, organizationId: org_id, durationMs } = end;
  if (report === nothingDone)
    return {
      name,
      org_id,
      exit_code: exitCode.done,
      run_id: null,
      status: 'succeeded',
      ...noFigures,
      duration_ms: Math.round(durationMs),
    };
  if (report === undefined) {
    const error = redact(explain(end.error));
    return {
      name,
      org_id,
      exit_code: exitCodeOf(end.error),
      run_id: null,
      status: 'failed',
      ...noFigures,
      ...(sources === undefined ? {} : { sources }),
      duration_ms: Math.round(durationMs),
      error: withoutName(error, name),
    };
  }
  const { summary, stoppedBy, error } = report;
  const ofSlices = summary.slices.failed > 0 ? exitCode.incomplete : exitCode.done;
  const exit_code = stoppedBy === undefined ? ofSlices : exitCodeOf(stoppedBy);
  const { run_id, status, ...figures } = summary;
  const told = exit_code === exitCode.done || error === undefined ? {} : { error: withoutName(error, name) };
  return { name, org_id, exit_code, run_id, status, ...figures, ...told };
}

/** A sentence may begin with the name of the organization, which stands before it anyway. */
function withoutName(error: string, name: string): string {
  return error.startsWith(`${name}: `) ? error.slice(name.length + 2) : error;
}

/**
 * The output of all parts; their texts are sanitized. Tells on standard error why a part failed. `remarks` are more lines for
 * people.
 */
export function organizationsResult(
  parts: readonly OrganizationPart[],
  durationMs: number,
  remarks: readonly string[] = [],
): JobResult {
  const failed = parts.filter(({ exit_code }) => exit_code !== exitCode.done);
  const sentences = failed.map(({ name, error }) => `${name}: ${error ?? 'failed'}`);
  const named = sentences.slice(0, mostNamed);
  if (sentences.length > mostNamed) named.push(`and ${sentences.length - mostNamed} more organizations`);
  for (const sentence of named) tell(sentence);
  const codes = new Set(parts.map(({ exit_code }) => exit_code));
  const [common] = codes;
  const sums = sumsOf(parts);
  const status = statusOf(parts);
  return {
    json: { status, ...sums, duration_ms: Math.round(durationMs), organizations: parts },
    text: [describe(parts, sums, status, durationMs), ...remarks].join('\n'),
    // The key of one organization is no secret in the text of another, and each part was sanitized with its own.
    verbatim: true,
    exitCode: codes.size === 1 ? (common ?? exitCode.done) : exitCode.incomplete,
    ...(named.length === 0 ? {} : { error: named.join('; ') }),
  };
}

/** The states of sources of an organization for which no run began, by its name. */
export function statesWithoutRun(
  entries: readonly OrganizationEntry[],
  endpoints: readonly Source[],
): (name: string) => Readonly<Record<string, SourceState>> {
  const settingsOf = new Map(entries.map(({ name, settings }) => [name, settings]));
  return (name) => {
    const settings = settingsOf.get(name);
    return firstStates(settings === undefined ? [] : readableSources(endpoints, settings));
  };
}

type Counts = Readonly<Record<string, number>>;

function sumsOf(parts: readonly Figures[]): Record<keyof Figures, Counts> {
  const sumOf = (counts: (part: Figures) => Counts) =>
    Object.fromEntries(
      Object.keys(counts(noFigures)).map((name) => [
        name,
        parts.reduce((sum, part) => sum + (counts(part)[name] ?? 0), 0),
      ]),
    );
  return {
    slices: sumOf(({ slices }) => ({ ...slices })),
    rows: sumOf(({ rows }) => ({ ...rows })),
    requests: sumOf(({ requests }) => ({ ...requests })),
  };
}

function statusOf(parts: readonly OrganizationPart[]): RunStatus {
  const statuses = new Set(parts.map(({ status }) => status));
  const [only] = statuses;
  return statuses.size === 1 && only !== undefined ? only : 'partial';
}

function describe(
  parts: readonly OrganizationPart[],
  { slices, rows, requests }: ReturnType<typeof sumsOf>,
  status: RunStatus,
  durationMs: number,
): string {
  const failed = parts.filter(({ exit_code }) => exit_code !== exitCode.done);
  const lines = [
    `${counted(parts.length, 'organization')} ${status} in ${(durationMs / 1000).toFixed(1)} s: ${parts.length - failed.length} well, ${failed.length} not`,
    `  slices    ${figures(slices)}`,
    `  rows      ${figures(rows)}`,
    `  requests  ${figures(requests)}`,
    ...failed
      .slice(0, mostNamed)
      .map(
        ({ name, run_id, error }) =>
          `  ${name}${run_id === null ? '' : `, run ${run_id}`}: ${error ?? 'failed'}`,
      ),
  ];
  if (failed.length > mostNamed) lines.push(`  and ${failed.length - mostNamed} more`);
  return lines.join('\n');
}

function figures(counts: Counts): string {
  const told = Object.entries(counts).filter(([, count]) => count > 0);
  return told.map(([name, count]) => `${numberText(count)} ${name}`).join(', ') || 'none';
}
