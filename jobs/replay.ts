import { earliestDay, yesterday } from '../src/model/day.ts';
import { appVersion } from '../src/model/version.ts';
import { replay } from '../src/pipeline/loading/replay.ts';
import { openConfiguredWarehouse } from '../src/pipeline/runs/open-warehouse.ts';
import { createRunReporter } from '../src/reporting/run-reporter.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayRangeOptions, type Job } from './job.ts';
import { runResult } from './run-result.ts';

/** Rebuilds facts from the raw archive. */
export const job: Job = {
  name: 'replay',
  description: 'rebuilds facts from the raw archive, without the platform',
  example: 'replay --from 2026-02-01 --to 2026-02-28',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--endpoints <names>', 'only these, separated by commas'),
  prepare({ options, clock, problems }) {
    const range = dayRangeOptions(options, { from: earliestDay, to: yesterday(clock) }, clock, problems);
    const sources = chosenSources(options.endpoints, problems);
    return async (context) => {
      const warehouse = await openConfiguredWarehouse(context);
      const reporter = await createRunReporter(
        context.log,
        { sent: 0, retried: 0 },
        context.isTerminal,
        context.observers,
      );
      try {
        const report = await replay({
          arguments: { ...range, endpoints: sources.map(({ name }) => name) },
          appVersion,
          pool: warehouse.pool,
          clock: context.clock,
          lockTimeoutMs: context.config.lockTimeoutMs,
          sources,
          range,
          // Who names no day means everything, also what has none.
          all: options.from === undefined && options.to === undefined,
          maxRejectedShare: context.config.maxRejectedShare,
          listRows: context.config.listRows,
          withholdsEmails: context.config.withholdsEmails,
          withholdsTexts: context.config.withholdsTexts,
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
    };
  },
};

if (import.meta.main) void runJobFile(job);
