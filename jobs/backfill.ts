import { earliestDay, today, yesterday } from '../src/model/day.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { describePlan, planDry } from '../src/pipeline/loading/dry-run.ts';
import { runLoadJob } from '../src/pipeline/loading/load-slices.ts';
import { planBackfill } from '../src/pipeline/plan/plan.ts';
import { readableSources } from '../src/pipeline/receive/optional-sources.ts';
import { withWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { listedSources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import { chosenSources, dayRangeOptions, type Job, someSources } from './job.ts';
import { runResult } from './run-result.ts';

/** Loads every slice of a range that the ledger does not hold. */
export const job: Job = {
  name: 'backfill',
  organizations: 'any',
  description: 'loads every slice in a range of days that the ledger does not already hold',
  example: `backfill --from 2026-01-14 --endpoints ${someSources}`,
  // The plan of --dry-run needs only the ledger.
  needsPlatform: ({ options }) => options.dryRun !== true,
  options: (command) =>
    command
      .option('--from <day>', `first day (default ${earliestDay})`)
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--endpoints <names>', 'only these, separated by commas')
      .option('--force', 're-read loaded slices')
      .option('--allow-empty', 'with --force: accept an answer without rows for a day that has some')
      .option('--dry-run', 'print the plan and send no request'),
  prepare({ options, clock, problems }) {
    const range = dayRangeOptions(options, { from: earliestDay, to: yesterday(clock) }, clock, problems);
    const force = options.force === true;
    const allowEmpty = options.allowEmpty === true;
    if (allowEmpty && !force) problems.push('--allow-empty: goes with --force only');
    const endpoints = chosenSources(options.endpoints, problems, listedSources);
    return async (context) => {
      const sources = readableSources(endpoints, context.config);
      const planOptions = { force, windowDays: context.config.windowDays, today: today(clock) };
      if (options.dryRun === true) {
        const plan = await withWarehouse(context, 'reads', ({ warehouse, config }) =>
          planDry(
            warehouse,
            (known) => planBackfill(sources, range, known, planOptions),
            config.requestsPerSecond,
          ),
        );
        return { json: plan, text: describePlan(sanitizeTexts(plan, context.redact)) };
      }
      const report = await runLoadJob(
        {
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
        },
        context,
      );
      return runResult(report, context);
    };
  },
};

if (import.meta.main) void runJobFile(job);
