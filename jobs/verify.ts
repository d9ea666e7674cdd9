import { earliestDay, yesterday } from '../src/model/day.ts';
import { explain } from '../src/model/errors.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import type { VerificationReport } from '../src/model/verification.ts';
import { verify } from '../src/pipeline/verify/verify.ts';
import { counted } from '../src/reporting/number-text.ts';
import { reasonsInWords } from '../src/reporting/same-reason.ts';
import { describeVerification } from '../src/reporting/verification-text.ts';
import { sources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import { dayRangeOptions, exitCode, exitCodeOf, type Job } from './job.ts';
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
    // Without --from and --to, compare everything, also the snapshot of today, as `replay` does.
    const namesNoDay = options.from === undefined && options.to === undefined;
    const archive = options.archive !== true ? 'none' : namesNoDay ? 'all' : 'range';
    return async (context) => {
      const { redact } = context;
      const report = await verify({ sources, range, yesterday: last, archive }, context);
      const { runId, status, checks, failures, stoppedBy } = report;
      if (stoppedBy !== undefined) tell(redact(explain(stoppedBy)));
      const error = problemOf(report, options.strict === true);
      const code = error === undefined ? exitCode.done : exitCode.incomplete;
      return {
        json: {
          run_id: runId,
          status,
          checks,
          contradictions: report.contradictions,
          ...(report.archive === undefined ? {} : { archive: report.archive }),
          failures: failures.map(({ endpoint: check, key: part, reason }) => ({ check, part, reason })),
        },
        text: describeVerification(sanitizeTexts(report, redact)),
        exitCode: stoppedBy === undefined ? code : exitCodeOf(stoppedBy),
        ...(error === undefined ? {} : { error }),
      };
    };
  },
};

/** Why the exit code of a verification is not 0; undefined if it is 0. */
function problemOf(
  { checks, failures, stoppedBy }: VerificationReport,
  isStrict: boolean,
): string | undefined {
  if (stoppedBy !== undefined) return explain(stoppedBy);
  const [first] = reasonsInWords(failures, 'part');
  if (first !== undefined) return `${counted(failures.length, 'part')} could not be compared: ${first}`;
  const found = checks.reduce((sum, { contradictions }) => sum + contradictions, 0);
  return isStrict && found > 0 ? counted(found, 'contradiction') : undefined;
}

if (import.meta.main) void runJobFile(job);
