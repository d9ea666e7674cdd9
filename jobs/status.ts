import { type Day, earliestDay, today, yesterday } from '../src/model/day.ts';
import { graceEndMs } from '../src/model/night.ts';
import { sanitizeTexts } from '../src/model/sanitize.ts';
import { askedOrganizations } from '../src/pipeline/organization/asked-organizations.ts';
import { coverageOfAll, tooOld } from '../src/pipeline/plan/coverage.ts';
import { withWarehouse } from '../src/pipeline/runs/with-warehouse.ts';
import { describeCoverage } from '../src/reporting/coverage-text.ts';
import { sources } from '../src/sources/registry.ts';
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
      const days = { from: options.from === undefined ? undefined : from, to, today: today(clock), excused };
      const { lastRuns, organizations } = await withWarehouse(
        context,
        'reads',
        ({ warehouse: { pool }, config }) =>
          withSession(pool, async ({ db }) => {
            const runs = await readLastRuns(db);
            const asked = await askedOrganizations(db, config);
            const keys = asked.flatMap(({ held }) => held?.orgKey ?? []);
            const covered = await coverageOfAll(db, sources, days, config.organizations && keys);
            const byId = new Map(covered.map((each) => [each.organization, each]));
            return {
              lastRuns: runs,
              organizations: asked.map(({ name, held }) => ({
                ...(name === undefined ? {} : { name }),
                ...((held && byId.get(held.organizationId)) ?? neverAnswered),
                last_run: (held && runs.get(held.organizationId)) ?? null,
              })),
            };
          }),
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

/** A sentence names at most so many organizations. */
const mostNamed = 10;
const nothingLoaded = 'nothing is loaded yet';

/** Prints the gauges. It also works without the database: a gauge shows whether the database is up. */
async function printGauges(context: JobContext): Promise<JobResult> {
  const { standingNow } = await import('../src/pipeline/monitor/standing-now.ts');
  const { metrics, text, problem } = await standingNow(context);
  return { json: { metrics }, text, ...endOf(problem, context) };
}

/** The coverage of an organization of ORGANIZATIONS_FILE without an answer of the platform. */
const neverAnswered = { organization: null, complete: false, endpoints: [], other_sources: [] };

/** An organization of the result. */
interface Shown {
  readonly name?: string;
  readonly organization: string | null;
  readonly complete: boolean;
  readonly endpoints: readonly { readonly endpoint: string; readonly last_day: Day | null }[];
}

const nameOf = ({ name, organization }: Shown) => name ?? organization ?? '';

/** Why `--check` fails. */
function incompleteness(organizations: readonly Shown[]): string {
  const names = organizations.filter(({ complete }) => !complete).map(nameOf);
  return names.length === 0 ? nothingLoaded : `incomplete: ${firstFew(names)}`;
}

/** Why `--max-age` fails; empty if it does not. */
function staleness(organizations: readonly Shown[], maxAge: number, nowMs: number): string[] {
  if (organizations.length === 0) return [nothingLoaded];
  const stale = organizations.flatMap((organization) => {
    if (organization.organization === null) return [`${nameOf(organization)}: ${nothingLoaded}`];
    const old = tooOld(organization.endpoints, maxAge, nowMs).map(({ endpoint, ageHours }) =>
      ageHours === undefined ? `${endpoint} has no day` : `${endpoint} by ${ageHours.toFixed(1)} hours`,
    );
    return old.length === 0 ? [] : [`older than ${maxAge} hours: ${nameOf(organization)}: ${old.join(', ')}`];
  });
  const more = stale.length - mostNamed;
  return more > 0 ? [...stale.slice(0, mostNamed), `and ${more} more organizations`] : stale;
}

/** At most ten names, and the number of the others. */
function firstFew(names: readonly string[]): string {
  const more = names.length - mostNamed;
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
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
