import { earliestDay, yesterday } from '../src/model/day.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import { type ReplayJob, replay } from '../src/pipeline/loading/replay.ts';
import { compactReport } from '../src/pipeline/organizations/compact-report.ts';
import { withEachOrganization } from '../src/pipeline/organizations/each-organization.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayRangeOptions, type Job, type JobContext, type JobResult } from './job.ts';
import { nothingDone, organizationsResult, partOf } from './organizations-result.ts';
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
    const slices = { sources, range, all };
    return async (context) =>
      context.config.organizations === undefined
        ? runResult(await replay(slices, context), context)
        : replayEach(context, context.config.organizations, slices);
  },
};

/** A run for each organization of ORGANIZATIONS_FILE. One that the warehouse does not know has nothing to replay. */
async function replayEach(
  context: JobContext,
  organizations: readonly OrganizationEntry[],
  slices: Omit<ReplayJob, 'organization'>,
): Promise<JobResult> {
  const startedAt = performance.now();
  const ends = await withEachOrganization(context, organizations, {
    access: 'writes',
    asksPlatform: false,
    work: async (own) =>
      own.bound === undefined
        ? nothingDone
        : compactReport(await replay({ ...slices, organization: own.bound }, own), own.redact),
  });
  const parts = ends.map((end) => partOf(end, end.result, context));
  return organizationsResult(parts, performance.now() - startedAt);
}

if (import.meta.main) void runJobFile(job);
