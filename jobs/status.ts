import { type DayRange, earliestDay, yesterday } from '../src/model/day.ts';
import { throughDoor } from '../src/model/foreign-text.ts';
import { coverageOf, isComplete } from '../src/pipeline/coverage.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { organizationLedgers } from '../src/pipeline/organization-ledgers.ts';
import { earliestLoadedDay } from '../src/pipeline/plan.ts';
import { describeCoverage } from '../src/reporting/coverage-text.ts';
import { sources } from '../src/sources/registry.ts';
import { dayRangeOptions, exitCode, type Job, refuseProblems, runJobFile } from './job.ts';

/** Tells what the warehouse covers and what it lacks. */
export const job: Job = {
  name: 'status',
  description: 'coverage and freshness per endpoint: first day, last day, gaps, failures',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--check', 'exit 1 when a slice is missing or failed')
      .option('--from <day>', 'first day looked at (default the earliest loaded day)')
      .option('--to <day>', 'last day looked at (default yesterday in UTC)'),
  async run(context, options) {
    const { clock } = context;
    const problems: string[] = [];
    const { from, to } = dayRangeOptions(
      options,
      { from: earliestDay, to: yesterday(clock) },
      clock,
      problems,
    );
    refuseProblems(problems);
    const warehouse = await openConfiguredWarehouse(context, true);
    try {
      const organizations = (await organizationLedgers(warehouse.pool)).map(({ organizationId, ledger }) => {
        const start = options.from === undefined ? earliestLoadedDay(ledger) : from;
        const range: DayRange | undefined = start === undefined ? undefined : { from: start, to };
        const endpoints = coverageOf(sources, ledger, range);
        return {
          organization: organizationId,
          complete: range !== undefined && isComplete(endpoints),
          endpoints,
        };
      });
      const complete =
        organizations.length > 0 && organizations.every((organization) => organization.complete);
      return {
        json: { complete, organizations },
        text: describeCoverage(throughDoor(organizations, context.redact)),
        exitCode: options.check === true && !complete ? exitCode.incomplete : exitCode.done,
      };
    } finally {
      await warehouse.close();
    }
  },
};

if (import.meta.main) await runJobFile(job);
