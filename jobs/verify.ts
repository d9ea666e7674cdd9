import { earliestDay, yesterday } from '../src/model/day.ts';
import { explain } from '../src/model/errors.ts';
import { throughDoor } from '../src/model/foreign-text.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { runVerifyJob } from '../src/pipeline/verify-job.ts';
import { describeVerification } from '../src/reporting/verification-text.ts';
import { dayRangeOptions, exitCode, exitCodeOf, type Job, refuseProblems, runJobFile } from './job.ts';

/** Proves the numbers of a range of days. */
export const job: Job = {
  name: 'verify',
  description: "compares the warehouse with the platform's own sums, with itself and with its ledger",
  needsPlatform: true,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--strict', 'exit 1 when figures contradict each other'),
  async run(context, options) {
    const { clock, redact } = context;
    const last = yesterday(clock);
    const problems: string[] = [];
    const range = dayRangeOptions(options, { from: earliestDay, to: last }, clock, problems);
    refuseProblems(problems);
    const warehouse = await openConfiguredWarehouse(context);
    try {
      const report = await runVerifyJob({ range, yesterday: last }, context, warehouse);
      const { runId, status, checks, failures, stoppedBy } = report;
      if (stoppedBy !== undefined) process.stderr.write(`usage-etl: ${redact(explain(stoppedBy))}\n`);
      const contradicts = checks.some(({ contradictions }) => contradictions > 0);
      const isIncomplete = failures.length > 0 || (options.strict === true && contradicts);
      return {
        json: {
          run_id: runId,
          status,
          checks,
          contradictions: report.contradictions,
          failures: failures.map(({ endpoint: check, key: part, reason }) => ({ check, part, reason })),
        },
        text: describeVerification(throughDoor(report, redact)),
        exitCode:
          stoppedBy === undefined
            ? isIncomplete
              ? exitCode.incomplete
              : exitCode.done
            : exitCodeOf(stoppedBy),
      };
    } finally {
      await warehouse.close();
    }
  },
};

if (import.meta.main) await runJobFile(job);
