import { earliestDay, yesterday } from '../src/model/day.ts';
import { explain } from '../src/model/errors.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import type { VerificationReport } from '../src/model/verification.ts';
import { withEachOrganization } from '../src/pipeline/organizations/each-organization.ts';
import type { VerifyJob } from '../src/pipeline/verify/plan-verification.ts';
import { verify } from '../src/pipeline/verify/verify.ts';
import { counted } from '../src/reporting/number-text.ts';
import { reasonsInWords } from '../src/reporting/same-reason.ts';
import { describeVerification } from '../src/reporting/verification-text.ts';
import { sources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import { dayRangeOptions, exitCode, exitCodeOf, type Job, type JobContext, type JobResult } from './job.ts';
import { organizationsResult, partOf } from './organizations-result.ts';
import { tell } from './tell.ts';

/** Verifies the figures of a range of days. */
export const job: Job = {
  name: 'verify',
  organizations: 'any',
  description: "compares the warehouse with the platform's own sums, with itself and with its ledger",
  example: 'verify --from 2026-01-14 --strict',
  needsPlatform: true,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--archive', 'also compare every stored figure with the raw archive')
      .option('--strict', 'exit 1 when figures contradict each other'),
  prepare({ options, clock, problems }) {
    const last = yesterday(clock);
    const range = dayRangeOptions(options, { from: earliestDay, to: last }, clock, problems);
    // With --archive but neither --from nor --to, compare the whole archive, also today's snapshot, as `replay` does.
    const namesNoDay = options.from === undefined && options.to === undefined;
    const archive = options.archive !== true ? 'none' : namesNoDay ? 'all' : 'range';
    const verifyJob: VerifyJob = { sources, range, yesterday: last, archive };
    const isStrict = options.strict === true;
    return async (context) => {
      if (context.config.organizations !== undefined)
        return verifyEach(context, context.config.organizations, verifyJob, isStrict);
      const { redact } = context;
      const report = await verify(verifyJob, context);
      const { runId, status, stoppedBy } = report;
      if (stoppedBy !== undefined) tell(redact(explain(stoppedBy)));
      const { code, error } = endOf(report, isStrict);
      return {
        json: { run_id: runId, status, ...findingsOf(report) },
        text: describeVerification(sanitizeTexts(report, redact)),
        exitCode: code,
        ...(error === undefined ? {} : { error }),
      };
    };
  },
};

/** A run for each organization of ORGANIZATIONS_FILE. */
async function verifyEach(
  context: JobContext,
  organizations: readonly OrganizationEntry[],
  verifyJob: VerifyJob,
  isStrict: boolean,
): Promise<JobResult> {
  const startedAt = performance.now();
  const ends = await withEachOrganization(context, organizations, {
    access: 'writes',
    asksPlatform: true,
    async work(own) {
      const report = await verify(verifyJob, own);
      const { summary, stoppedBy } = report;
      const { code, error } = endOf(report, isStrict);
      const shown = error === undefined ? undefined : own.redact(error);
      return {
        report: { summary, stoppedBy, error: shown },
        code,
        findings: sanitizeTexts(findingsOf(report), own.redact),
      };
    },
  });
  const parts = ends.map((end) => {
    const part = partOf(end, end.result?.report, context);
    const { result } = end;
    if (result === undefined) return { ...part, ...noFindings };
    const { error, ...others } = part;
    const told = result.report.error === undefined ? {} : { error: error ?? result.report.error };
    return { ...others, exit_code: result.code, ...result.findings, ...told };
  });
  const remarks = ends.flatMap(({ name, result }) => {
    const found = contradictionsIn(result?.findings.checks ?? []);
    if (found === 0) return [];
    return `  ${name}: ${counted(found, 'contradiction')}, see etl.check_result where run_id = ${result?.report.summary.run_id}`;
  });
  return organizationsResult(parts, performance.now() - startedAt, remarks.slice(0, mostRemarks));
}

/** The largest number of organizations whose contradictions people are told of; the JSON has all. */
const mostRemarks = 100;

function contradictionsIn(checks: VerificationReport['checks']): number {
  return checks.reduce((sum, { contradictions }) => sum + contradictions, 0);
}

const noFindings = { checks: [], contradictions: [], failures: [] };

/** The findings as JSON; the names are a public interface. */
function findingsOf({ checks, contradictions, archive, failures }: VerificationReport) {
  return {
    checks,
    contradictions,
    ...(archive === undefined ? {} : { archive }),
    failures: failures.map(({ endpoint: check, key: part, reason }) => ({ check, part, reason })),
  };
}

function endOf(report: VerificationReport, isStrict: boolean): { code: number; error: string | undefined } {
  const error = problemOf(report, isStrict);
  if (report.stoppedBy !== undefined) return { code: exitCodeOf(report.stoppedBy), error };
  return { code: error === undefined ? exitCode.done : exitCode.incomplete, error };
}

/** Why the exit code of a verification is not 0; undefined if it is 0. */
function problemOf(
  { checks, failures, stoppedBy }: VerificationReport,
  isStrict: boolean,
): string | undefined {
  if (stoppedBy !== undefined) return explain(stoppedBy);
  const [first] = reasonsInWords(failures, 'part');
  if (first !== undefined) return `${counted(failures.length, 'part')} could not be compared: ${first}`;
  const found = contradictionsIn(checks);
  return isStrict && found > 0 ? counted(found, 'contradiction') : undefined;
}

if (import.meta.main) void runJobFile(job);
