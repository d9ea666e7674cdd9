import { earliestDay, yesterday } from '../src/model/day.ts';
import { replay } from '../src/pipeline/loading/replay.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayRangeOptions, type Job } from './job.ts';
import { runResult } from './run-result.ts';

/** Rebuilds facts from the raw archive. */
export const job: Job = {
  name: 'replay',
  organizations: 'any',
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
    // Without --from and --to, replay everything, also slices without a day.
    const all = options.from === undefined && options.to === undefined;
    return async (context) => runResult(await replay({ sources, range, all }, context), context);
  },
};

if (import.meta.main) void runJobFile(job);
