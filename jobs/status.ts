import { earliestDay, yesterday } from '../src/model/day.ts';
import { throughDoor } from '../src/model/foreign-text.ts';
import { coverageOf, isComplete } from '../src/pipeline/coverage.ts';
import { knownOrganizations } from '../src/pipeline/known-organizations.ts';
import { openConfiguredWarehouse } from '../src/pipeline/open-warehouse.ts';
import { describeCoverage } from '../src/reporting/coverage-text.ts';
import { sources } from '../src/sources/registry.ts';
import { runJobFile } from './command-line.ts';
import { dayRangeOptions, exitCode, type Job } from './job.ts';

/** Tells what the warehouse covers and what it lacks. */
export const job: Job = {
  name: 'status',
  description: 'coverage and freshness per endpoint: first day, last day, gaps, failures',
  example: 'status --check',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--check', 'exit 1 when a slice is missing or failed')
      .option('--from <day>', 'first day looked at (default the earliest that was asked for)')
      .option('--to <day>', 'last day looked at (default yesterday in UTC)'),
  prepare({ options, clock, problems }) {
    const { from, to } = dayRangeOptions(
      options,
      { from: earliestDay, to: yesterday(clock) },
      clock,
      problems,
    );
    return async (context) => {
      const warehouse = await openConfiguredWarehouse(context, true);
      try {
        const organizations = (await knownOrganizations(warehouse.pool)).map(
          ({ organizationId, ...known }) => {
            const endpoints = coverageOf(sources, known, {
              from: options.from === undefined ? undefined : from,
              to,
            });
            return {
              organization: organizationId,
              complete: isComplete(endpoints, yesterday(clock)),
              endpoints,
            };
          },
        );
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
    };
  },
};

if (import.meta.main) await runJobFile(job);
