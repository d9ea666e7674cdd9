import { type Day, yesterday } from '../src/model/day.ts';
import { newNight } from '../src/model/night.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import type { Source } from '../src/model/source.ts';
import { tryNight } from '../src/pipeline/nights/try-night.ts';
import { tryRound } from '../src/pipeline/nights/try-round.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayOption, type Job, type JobContext, type JobResult, someSources } from './job.ts';
import { organizationsResult, partOf, statesWithoutRun } from './organizations-result.ts';
import { runResult } from './run-result.ts';

/** Loads yesterday, re-reads the days before it for late corrections, and fills gaps. */
export const job: Job = {
  name: 'nightly',
  organizations: 'any',
  description: 'loads yesterday (UTC), re-reads the last LOOKBACK_DAYS days, and fills gaps',
  details: [
    'It also repeats what failed, and reads readiness reports, computers and registered sessions.',
    'It exits 1 when a slice failed; the next run asks for it again.',
  ],
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
      const { organizations } = context.config;
      if (organizations !== undefined) return nightOfAll(context, organizations, day, endpoints);
      const { report, error } = await tryNight(context, newNight(day), endpoints);
      if (report === undefined) throw error;
      return runResult(report, context);
    };
  },
};

/** A night of the organizations of ORGANIZATIONS_FILE. */
async function nightOfAll(
  context: JobContext,
  organizations: readonly OrganizationEntry[],
  day: Day,
  endpoints: readonly Source[],
): Promise<JobResult> {
  const startedAt = performance.now();
  const { ends, error } = await tryRound(context, newNight(day), endpoints);
  if (ends === undefined) throw error;
  const statesOf = statesWithoutRun(organizations, endpoints);
  const parts = ends.map((end) => partOf(end, end.result?.report, context, statesOf(end.name)));
  return organizationsResult(parts, performance.now() - startedAt);
}

if (import.meta.main) void runJobFile(job);
