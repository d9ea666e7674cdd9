import { earliestDay, yesterday } from '../src/model/day.ts';
import { appVersion } from '../src/model/version.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { replay } from '../src/pipeline/replay.ts';
import { createRunReporter } from '../src/reporting/run-reporter.ts';
import { chosenSources, dayRangeOptions, type Job, refuseProblems, runJobFile } from './job.ts';
import { runResult } from './run-result.ts';

/** Rebuilds facts from the raw archive. */
export const job: Job = {
  name: 'replay',
  description: 'rebuilds facts from the raw rows that were kept, without the platform',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--endpoints <names>', 'only these, separated by commas'),
  async run(context, options) {
    const problems: string[] = [];
    const range = dayRangeOptions(
      options,
      { from: earliestDay, to: yesterday(context.clock) },
      context.clock,
      problems,
    );
    const sources = chosenSources(options.endpoints, problems);
    refuseProblems(problems);
    const warehouse = await openConfiguredWarehouse(context);
    const reporter = await createRunReporter(context.log, { sent: 0, retried: 0 }, context.isTerminal);
    try {
      const report = await replay({
        arguments: { ...range, endpoints: sources.map(({ name }) => name) },
        appVersion,
        pool: warehouse.pool,
        clock: context.clock,
        lockTimeoutMs: context.config.lockTimeoutMs,
        sources,
        range,
        maxRejectedShare: context.config.maxRejectedShare,
        listRows: context.config.listRows,
        chunkBytes: context.config.chunkBytes,
        memoryBytes: context.config.memoryBytes,
        dataDirectory: context.config.dataDirectory,
        onEvent: reporter.onEvent,
        redact: context.redact,
        abort: context.abort,
      });
      reporter.stop();
      return runResult(report, context);
    } finally {
      reporter.stop();
      await warehouse.close();
    }
  },
};

if (import.meta.main) await runJobFile(job);
