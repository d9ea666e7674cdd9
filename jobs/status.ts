import { earliestDay, today, yesterday } from '../src/model/day.ts';
import { graceEndMs } from '../src/model/night.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { eachKnownOrganization } from '../src/pipeline/loading/each-known-organization.ts';
import { type Coverage, tooOld } from '../src/pipeline/plan/coverage.ts';
import { listingSome, type OrganizationStatus, statusOf } from '../src/pipeline/plan/status-of.ts';
import { withWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { describeCoverage } from '../src/reporting/coverage-text.ts';
import { dailySources, sources } from '../src/sources/registry.ts';
import { withSession } from '../src/warehouse/connection/connection.ts';
import { type LastRun, readLastRuns } from '../src/warehouse/ledger/last-runs.ts';
import { runJobFile } from './command-line.ts';
import { dayRangeOptions, exitCode, type Job, type JobContext, type JobResult } from './job.ts';
import { endOf } from './run-result.ts';

/** Lists the days that the warehouse holds, and its gaps, by endpoint. */
export const job: Job = {
  name: 'status',
  organizations: 'any',
  description: 'coverage and freshness per endpoint: first day, last day, gaps, failures, refusals',
  example: 'status --check',
  needsPlatform: false,
  options: (command) =>
    command
      .option('--check', 'exit 1 when a slice is missing, failed or refused, or yesterday is pending')
      .option('--max-age <hours>', 'exit 1 when the last whole day of an endpoint ended longer ago')
      .option('--from <day>', 'first day (default the earliest requested day)')
      .option('--to <day>', 'last day (default yesterday in UTC)')
      .option('--prometheus', 'prints gauges for the textfile collector of Prometheus, and nothing else'),
  prepare({ options, clock, problems }) {
    if (options.prometheus === true) {
      for (const name of ['check', 'maxAge', 'from', 'to', 'organization'])
        if (options[name] !== undefined)
          problems.push(`--prometheus: cannot be used with --${name === 'maxAge' ? 'max-age' : name}`);
      return printGauges;
    }
    const { from, to } = dayRangeOptions(
      options,
      { from: earliestDay, to: yesterday(clock) },
      clock,
      problems,
    );
    const maxAge = hoursOption(options.maxAge, problems);
    return async (context) => {
      const { statusGraceHours } = context.config;
      const lastDay = yesterday(clock);
      const excused = clock() < graceEndMs(lastDay, statusGraceHours) ? lastDay : undefined;
      const days = {
        from: options.from === undefined ? undefined : from,
        to,
        today: today(clock),
        yesterday: lastDay,
        excused,
      };
      const others = sources.filter((source) => !dailySources.includes(source));
      const { lastRuns, organizations } = await withWarehouse(
        context,
        'reads',
        async ({ warehouse: { pool }, config }) => {
          const runs = await withSession(pool, ({ db }) => readLastRuns(db));
          const listed = listingSome();
          const statuses = await eachKnownOrganization(
            pool,
            config,
            ({ name, held, ...known }, ofHowMany) => {
              const status = held === undefined ? neverAnswered : statusOf(known, dailySources, others, days);
              return {
                ...(name === undefined ? {} : { name }),
                organization: held?.organizationId ?? null,
                ...(ofHowMany > 1 || name !== undefined ? listed(status) : status),
                last_run: runs.get(held?.organizationId ?? '') ?? null,
              };
            },
          );
          return { lastRuns: runs, organizations: statuses };
        },
      );
      const complete =
        organizations.length > 0 && organizations.every((organization) => organization.complete);
      const status = { complete, organizations, last_run: newest([...lastRuns.values()]) };
      const text = describeCoverage(sanitizeTexts(status, context.redact));
      const wrong = [
        ...(options.check !== true || complete ? [] : [incompleteness(organizations)]),
        ...(maxAge === undefined ? [] : staleness(organizations, maxAge, clock())),
      ];
      if (wrong.length === 0) return { json: status, text };
      return { json: status, text, exitCode: exitCode.incomplete, error: wrong.join('; ') };
    };
  },
};

function newest(runs: readonly LastRun[]): LastRun | null {
  return runs.reduce<LastRun | null>((last, run) => (run.run_id > (last?.run_id ?? 0) ? run : last), null);
}

const nothingLoaded = 'nothing is loaded yet';

/** Prints the gauges. It also works without the database: a gauge shows whether the database is up. */
async function printGauges(context: JobContext): Promise<JobResult> {
  const { standingNow } = await import('../src/pipeline/monitor/standing-now.ts');
  const { metrics, text, problem } = await standingNow(context);
  return { json: { metrics }, text, ...endOf(problem, context) };
}

/** The status of an organization of ORGANIZATIONS_FILE without an answer of the platform. */
const neverAnswered: OrganizationStatus = { complete: false, endpoints: [], other_sources: [] };

interface Named {
  readonly name?: string;
  readonly organization: string | null;
}

const nameOf = ({ name, organization }: Named) => name ?? organization ?? '';

/** Organizations that an error names. */
const mostNamed = 10;

/** The first of these texts, and how many more there are. */
function firstOf(texts: readonly string[], separator: string): string {
  const more = texts.length > mostNamed ? `${separator}and ${texts.length - mostNamed} more` : '';
  return `${texts.slice(0, mostNamed).join(separator)}${more}`;
}

/** Why `--check` fails. */
function incompleteness(organizations: readonly (Named & { readonly complete: boolean })[]): string {
  const names = organizations.filter(({ complete }) => !complete).map(nameOf);
  return names.length === 0 ? nothingLoaded : `incomplete: ${firstOf(names, ', ')}`;
}

/** Why `--max-age` fails; empty if it does not. */
function staleness(
  organizations: readonly (Named & {
    readonly endpoints: readonly Pick<Coverage, 'endpoint' | 'last_day'>[];
  })[],
  maxAge: number,
  nowMs: number,
): string[] {
  if (organizations.length === 0) return [nothingLoaded];
  const sentences = organizations.flatMap((organization) => {
    if (organization.organization === null) return [`${nameOf(organization)}: ${nothingLoaded}`];
    const old = tooOld(organization.endpoints, maxAge, nowMs).map(({ endpoint, ageHours }) =>
      ageHours === undefined ? `${endpoint} has no day` : `${endpoint} by ${ageHours.toFixed(1)} hours`,
    );
    return old.length === 0 ? [] : [`older than ${maxAge} hours: ${nameOf(organization)}: ${old.join(', ')}`];
  });
  return sentences.length === 0 ? [] : [firstOf(sentences, '; ')];
}

/** Reads `--max-age`; adds a sentence to `problems` if it is not a number of hours. */
function hoursOption(value: unknown, problems: string[]): number | undefined {
  if (value === undefined) return undefined;
  const hours = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : undefined;
  if (hours === undefined)
    problems.push(`--max-age: expected a number of hours, got ${JSON.stringify(value)}`);
  return hours;
}

if (import.meta.main) void runJobFile(job);
