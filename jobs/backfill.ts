import type { Config } from '../src/model/config.ts';
import { earliestDay, today, yesterday } from '../src/model/day.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import type { Source } from '../src/model/source.ts';
import { describePlan, planDry } from '../src/pipeline/loading/dry-run.ts';
import { runLoadJob } from '../src/pipeline/loading/load-slices.ts';
import { compactReport } from '../src/pipeline/organizations/compact-report.ts';
import { withEachOrganization } from '../src/pipeline/organizations/each-organization.ts';
import type { LoadJob } from '../src/pipeline/plan/load-job.ts';
import { planBackfill } from '../src/pipeline/plan/plan.ts';
import { readableSources } from '../src/pipeline/receive/optional-sources.ts';
import { withWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { listedSources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import {
  chosenSources,
  dayRangeOptions,
  type Job,
  type JobContext,
  type JobResult,
  someSources,
} from './job.ts';
import { organizationsResult, partOf, statesWithoutRun } from './organizations-result.ts';
import { runResult } from './run-result.ts';

/** Loads every slice of a range that the ledger does not hold. */
export const job: Job = {
  name: 'backfill',
  organizations: 'any',
  description: 'loads every slice in a range of days that the ledger does not already hold',
  example: `backfill --from 2026-01-14 --endpoints ${someSources}`,
  // With --dry-run the job only plans, which needs the ledger alone.
  needsPlatform: ({ options }) => options.dryRun !== true,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--endpoints <names>', 'only these, separated by commas')
      .option('--force', 'read loaded slices again and compare them')
      .option('--allow-empty', 'with --force: also accept an answer that deletes most or all of a day')
      .option('--dry-run', 'print the plan and send no request'),
  prepare({ options, clock, problems }) {
    const range = dayRangeOptions(options, { from: earliestDay, to: yesterday(clock) }, clock, problems);
    const force = options.force === true;
    const allowEmpty = options.allowEmpty === true;
    if (allowEmpty && !force) problems.push('--allow-empty: goes with --force only');
    const endpoints = chosenSources(options.endpoints, problems, listedSources);
    const jobOf = (config: Config): LoadJob => {
      const sources = readableSources(endpoints, config);
      const planOptions = { force, windowDays: config.windowDays, today: today(clock) };
      return {
        name: 'backfill',
        arguments: {
          ...range,
          endpoints: sources.map(({ name }) => name),
          force,
          allow_empty: allowEmpty,
        },
        yesterday: yesterday(clock),
        sources,
        plan: (known) => planBackfill(sources, range, known, planOptions),
        asksFrom: range.from,
        force,
        allowEmpty,
      };
    };
    return async (context) => {
      if (options.dryRun === true) return planned(context, jobOf);
      const { organizations } = context.config;
      if (organizations !== undefined) return backfillAll(context, organizations, endpoints, jobOf);
      return runResult(await runLoadJob(jobOf(context.config), context), context);
    };
  },
};

/** The plan of a backfill from the ledger. */
async function planned(context: JobContext, jobOf: (config: Config) => LoadJob): Promise<JobResult> {
  const now = today(context.clock);
  const found = await withWarehouse(context, 'reads', ({ warehouse, config }) =>
    planDry(warehouse, config, (own) => {
      const { sources, plan } = jobOf(own);
      return { sources, plan: (known) => plan(known, { ...own, today: now }) };
    }),
  );
  return { json: found, text: describePlan(sanitizeTexts(found, context.redact)) };
}

/** A backfill of the organizations of ORGANIZATIONS_FILE. */
async function backfillAll(
  context: JobContext,
  organizations: readonly OrganizationEntry[],
  endpoints: readonly Source[],
  jobOf: (config: Config) => LoadJob,
): Promise<JobResult> {
  const startedAt = performance.now();
  const ends = await withEachOrganization(context, organizations, {
    access: 'writes',
    asksPlatform: true,
    work: async (own) => compactReport(await runLoadJob(jobOf(own.config), own), own.redact),
  });
  const statesOf = statesWithoutRun(organizations, endpoints);
  const parts = ends.map((end) => partOf(end, end.result, context, statesOf(end.name)));
  return organizationsResult(parts, performance.now() - startedAt);
}

if (import.meta.main) void runJobFile(job);
