import { earliestDay, yesterday } from '../src/model/day.ts';
import { ConfigurationError } from '../src/model/errors.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import { enqueue, enqueueNight } from '../src/pipeline/queue/enqueue.ts';
import { backfillJobs } from '../src/pipeline/queue/orders.ts';
import { counted } from '../src/reporting/number-text.ts';
import { listedSources } from '../src/sources/registry.ts';
import type { AddedJobs } from '../src/warehouse/queue/add-jobs.ts';
import { runJobFile } from './command-line.ts';
import {
  chosenSources,
  dayOption,
  dayRangeOptions,
  type Job,
  type JobContext,
  type JobFamily,
  type JobResult,
  someSources,
} from './job.ts';

const nightly: Job = {
  name: 'nightly',
  organizations: 'any',
  description: 'orders the night of yesterday (UTC): one job per organization',
  example: 'enqueue nightly --organization acme',
  needsPlatform: false,
  options: (command) => command.option('--date <day>', 'take this day as yesterday'),
  prepare({ options, clock, problems }) {
    const night = dayOption(options.date, '--date', yesterday(clock), clock, problems);
    return (context) => order(context, (names) => enqueueNight(context, names, night));
  },
};

const backfill: Job = {
  name: 'backfill',
  organizations: 'any',
  description: 'orders a backfill: one job per organization and calendar month, newer months first',
  example: `enqueue backfill --from 2026-01-14 --endpoints ${someSources}`,
  needsPlatform: false,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--endpoints <names>', 'only these, separated by commas')
      .option('--force', 're-read loaded slices'),
  prepare({ options, clock, problems }) {
    const range = dayRangeOptions(options, { from: earliestDay, to: yesterday(clock) }, clock, problems);
    const chosen = chosenSources(options.endpoints, problems, listedSources);
    const named = options.endpoints === undefined ? undefined : chosen;
    const force = options.force === true;
    return (context) =>
      order(context, (names) => enqueue(context, backfillJobs(names, { range, named, force })));
  },
};

/** Adds jobs to the queue of `worker`. */
export const job: JobFamily = {
  name: 'enqueue',
  description: 'orders jobs for worker; asks the platform nothing',
  example: 'enqueue backfill --from 2026-01-14',
  jobs: [nightly, backfill],
};

async function order(
  context: JobContext,
  orderFor: (names: readonly string[]) => Promise<AddedJobs>,
): Promise<JobResult> {
  const names = organizationsOf(context, 'enqueue').map(({ name }) => name);
  const { enqueued, alreadyQueued } = await orderFor(names);
  return {
    json: { enqueued, already_queued: alreadyQueued },
    text: `${counted(enqueued, 'job')} enqueued, ${alreadyQueued} were queued already.`,
  };
}

/** The organizations of the file. Throws `ConfigurationError` without the file. */
export function organizationsOf(
  { config }: Pick<JobContext, 'config'>,
  command: string,
): readonly OrganizationEntry[] {
  if (config.organizations !== undefined) return config.organizations;
  throw new ConfigurationError([
    `ORGANIZATIONS_FILE: missing; ${command} works for the organizations of that file, so set it to its path; see docs/organizations.md`,
  ]);
}

if (import.meta.main) void runJobFile(job);
