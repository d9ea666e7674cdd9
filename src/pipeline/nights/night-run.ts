/** The run of a night: one `nightly` for one organization, and how good its end is. */
import type { Day } from '../../model/day.ts';
import { judgeTry, type Night, type TryEnd, type TryStatus } from '../../model/night.ts';
import type { RunEvent } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Slice, Source } from '../../model/source.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { runLoadJob } from '../loading/load-slices.ts';
import { planNightly } from '../plan/plan.ts';
import { readableSources } from '../receive/optional-sources.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { registeredSessions } from '../sessions/registered-sessions.ts';

/** A night of one organization: the day that it loads, and the slices that are done, by `ledgerKey`. */
export type NightOfOne = Pick<Night, 'day' | 'settled'>;

/** The end of the run of a night. */
export interface NightRun {
  readonly report: RunReport;
  readonly end: TryEnd;
  /** Slices of the night's day that are pending. */
  readonly pending: readonly Slice[];
}

/** Does one run that takes the night's day as yesterday, for `endpoints` that are not settled; adds loaded slices to `settled`. */
export async function runNight(
  surroundings: JobSurroundings,
  { day, settled }: NightOfOne,
  endpoints: readonly Source[],
): Promise<NightRun> {
  const { config, clock } = surroundings;
  const sources = readableSources(endpoints, config);
  const before = new Set(settled);
  const pending: Slice[] = [];
  const observe = () => (event: RunEvent) => {
    const slice = settledBy(event);
    if (slice !== undefined) settled.add(ledgerKey(slice.endpoint, slice.key));
    if (isPendingOf(day, event)) pending.push(event.slice);
    if (event.type !== 'days-reopened') return;
    for (const { endpoint, key } of event.slices) settled.delete(ledgerKey(endpoint, key));
    pending.push(...event.slices.filter(({ usageDate }) => usageDate === day));
  };
  const report = await runLoadJob(
    {
      name: 'nightly',
      arguments: {
        date: day,
        lookback_days: config.lookbackDays,
        endpoints: sources.map(({ name }) => name),
      },
      yesterday: day,
      sources,
      ...(sources.some(({ partitioning }) => partitioning.isNamed) && {
        named: registeredSessions(surroundings),
      }),
      plan: (known, options) => planNightly(sources, day, known, { ...options, settled: before }),
    },
    {
      ...surroundings,
      observers: [...(surroundings.observers ?? []), observe],
    },
  );
  const { run_id: runId, status: ofRun } = report.summary;
  const status: TryStatus = ofRun === 'succeeded' && pending.length > 0 ? 'pending' : ofRun;
  const verdict = judgeTry(day, status, { endedMs: clock(), graceHours: config.statusGraceHours });
  return { report, end: { verdict, status, runId }, pending };
}

/** The slice that need not be requested again; undefined if the event settles none. */
function settledBy(event: RunEvent) {
  if (event.type === 'source-unavailable') return event.slice;
  return event.type === 'slice-done' && event.outcome.result !== 'pending' ? event.slice : undefined;
}

function isPendingOf(day: Day, event: RunEvent): event is Extract<RunEvent, { type: 'slice-done' }> {
  return event.type === 'slice-done' && event.outcome.result === 'pending' && event.slice.usageDate === day;
}
