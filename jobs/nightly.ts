import { yesterday } from '../src/model/day.ts';
import { tryNight } from '../src/pipeline/nights/try-night.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayOption, type Job, someSources } from './job.ts';
import { runResult } from './run-result.ts';

/** Loads yesterday, re-reads the days before it for late corrections, and fills gaps. */
export const job: Job = {
  name: 'nightly',
  organizations: 'any',
  description: 'loads yesterday (UTC), re-reads the last LOOKBACK_DAYS days, and fills gaps',
  example: `nightly --endpoints ${someSources}`,
  needsPlatform: true,
  options: (command) =>
    command
      .option('--date <day>', 'take this day as yesterday')
      .option('--endpoints <names>', 'only these, separated by commas'),
  prepare({ options, clock, problems }) {
    const day = dayOption(options.date, '--date', yesterday(clock), clock, problems);
    const endpoints = chosenSources(options.endpoints, problems);
    return async (context) => {
      const { report, error } = await tryNight(context, { day, settled: new Set() }, endpoints);
      if (report === undefined) throw error;
      return runResult(report, context);
    };
  },
};

if (import.meta.main) void runJobFile(job);
