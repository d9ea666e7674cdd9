import { type Day, yesterday } from '../src/model/day.ts';
import type { Source } from '../src/model/source.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { readableSources } from '../src/pipeline/optional-sources.ts';
import { planNightly } from '../src/pipeline/plan.ts';
import { runLoadJob } from '../src/pipeline/run.ts';
import { registeredSessions } from '../src/pipeline/sessions/registered-sessions.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayOption, type Job, type JobContext, someSources } from './job.ts';
import { runResult } from './run-result.ts';

/** Loads yesterday, re-reads the days before it for late corrections, and fills gaps. */
export const job: Job = {
  name: 'nightly',
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
    return async (context) => runResult(await runNightly(context, day, endpoints), context);
  },
};

/** One nightly run that takes `day` as yesterday. */
export async function runNightly(context: JobContext, day: Day, endpoints: readonly Source[]) {
  const sources = readableSources(endpoints, context.config);
  const warehouse = await openConfiguredWarehouse(context);
  try {
    return await runLoadJob(
      {
        name: 'nightly',
        arguments: {
          date: day,
          lookback_days: context.config.lookbackDays,
          endpoints: sources.map(({ name }) => name),
        },
        yesterday: day,
        sources,
        ...(sources.some(({ partitioning }) => partitioning.isNamed) && {
          named: registeredSessions(context),
        }),
        plan: (known, options) => planNightly(sources, day, known, options),
      },
      context,
      warehouse,
    );
  } finally {
    await warehouse.close();
  }
}

if (import.meta.main) void runJobFile(job);
