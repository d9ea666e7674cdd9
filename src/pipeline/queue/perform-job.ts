/** Does a job of the queue for its organization, as `nightly` and `backfill` do it. */
import { type DayRange, today, yesterday } from '../../model/day.ts';
import { ConfigurationError, explain } from '../../model/errors.ts';
import type { OrganizationEntry } from '../../model/organizations/organization-entry.ts';
import { requireSources } from '../../model/organizations/required-sources.ts';
import type { BackfillPayload, NightlyPayload, QueueJob } from '../../model/queue-job.ts';
import type { RunReport } from '../../model/run-report.ts';
import { counted } from '../../reporting/number-text.ts';
import { listedSources, sources } from '../../sources/registry.ts';
import { runLoadJob } from '../loading/load-slices.ts';
import { runNight } from '../nights/night-run.ts';
import { surroundingsOf } from '../organizations/own-surroundings.ts';
import { planBackfill } from '../plan/plan.ts';
import { readableSources } from '../receive/optional-sources.ts';
import type { JobSurroundings, OpenSurroundings } from '../runs/job-surroundings.ts';
import { withOwnAbort } from '../runs/with-warehouse.ts';

/** How a job ended. */
export interface JobEnd {
  /** Undefined if no run could begin. */
  readonly report: RunReport | undefined;
  /** The error that kept the run from beginning, or that stopped it; undefined if there was none. */
  readonly error: unknown;
  /** Why the job is not whole, sanitized; undefined if it is. */
  readonly reason: string | undefined;
}

/** Does a job. Never throws. */
export async function performJob(
  entry: OrganizationEntry,
  job: QueueJob,
  open: OpenSurroundings,
): Promise<JobEnd> {
  let { redact } = open;
  try {
    const own = surroundingsOf(requiring(entry, job), open, true);
    redact = own.redact;
    const report = await withOwnAbort(own, (ownAbort) =>
      job.task === 'nightly' ? runNightOf(ownAbort, job.payload) : runBackfill(ownAbort, job.payload),
    );
    return { report, error: report.stoppedBy, reason: reasonOf(report, redact) };
  } catch (error) {
    return { report: undefined, error, reason: redact(explain(error)) };
  }
}

/** The sources that the order names must work. */
function requiring(entry: OrganizationEntry, job: QueueJob): OrganizationEntry {
  const named = job.task === 'backfill' ? (job.payload.endpoints ?? []) : [];
  const known = listedSources.map(({ name }) => name);
  if (named.some((name) => !known.includes(name)))
    throw new ConfigurationError([`the job names an unknown endpoint; expected some of ${known.join(', ')}`]);
  const problems: string[] = [];
  const required = requireSources(entry, { sources, named, needsPlatform: true }, problems);
  if (problems.length > 0) throw new ConfigurationError(problems);
  return required;
}

/** Workers tell nobody how a night ended: whoever orders the nights does. */
async function runNightOf(surroundings: JobSurroundings, { day }: NightlyPayload): Promise<RunReport> {
  const { report } = await runNight(surroundings, { day, settled: new Set() }, sources);
  return report;
}

async function runBackfill(
  surroundings: JobSurroundings,
  { from, to, endpoints, force, newest, asks_from }: BackfillPayload,
): Promise<RunReport> {
  const { config, clock } = surroundings;
  const chosen = readableSources(
    listedSources.filter(
      ({ name, partitioning }) =>
        (endpoints === undefined || endpoints.includes(name)) && (newest || partitioning.kind === 'day'),
    ),
    config,
  );
  const range: DayRange = { from, to };
  return await runLoadJob(
    {
      name: 'backfill',
      arguments: { ...range, endpoints: chosen.map(({ name }) => name), force, allow_empty: false },
      yesterday: yesterday(clock),
      sources: chosen,
      plan: (known, { windowDays }) =>
        planBackfill(chosen, range, known, { force, windowDays, today: today(clock) }),
      asksFrom: asks_from ?? from,
      force,
    },
    surroundings,
  );
}

function reasonOf({ stoppedBy, failures }: RunReport, redact: JobSurroundings['redact']): string | undefined {
  if (stoppedBy !== undefined) return redact(explain(stoppedBy));
  const [first] = failures;
  if (first === undefined) return undefined;
  return redact(
    `${counted(failures.length, 'slice')} failed; the first: ${first.endpoint} ${first.key}: ${first.reason}`,
  );
}
