/** The run of a night: one `nightly` for one organization, and how good its end is. */
import { judgeTry, type Night, type TryEnd, type TryStatus } from '../../model/night.ts';
import type { AttemptEnded, AttemptStatus, RunEvent } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Slice, Source } from '../../model/source.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { runLoadJob } from '../loading/load-slices.ts';
import { planNightly } from '../plan/plan.ts';
import { readableSources } from '../receive/optional-sources.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { registeredSessions } from '../sessions/registered-sessions.ts';
import { sliceFailureInWords } from './failure-words.ts';
import type { MissingSlice } from './night-text.ts';

/** A night of one organization: the day that it loads, and the slices that are done, by `ledgerKey`. */
export type NightOfOne = Pick<Night, 'day' | 'settled'>;

/** The end of the run of a night. */
export interface NightRun {
  readonly report: RunReport;
  readonly end: TryEnd;
  /** Slices that failed, and slices of the night's day that are pending. */
  readonly missing: readonly MissingSlice[];
  /** Endpoints whose last attempt brought no answer, with its status. */
  readonly unanswered: ReadonlyMap<string, AttemptStatus>;
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
  const missing: MissingSlice[] = [];
  const unanswered = new Map<string, AttemptStatus>();
  const addPending = (slices: readonly Slice[]) => {
    for (const { endpoint, key, usageDate } of slices)
      if (usageDate === day) missing.push({ endpoint, key, why: 'no rows yet' });
  };
  const observe = () => (event: RunEvent) => {
    if (event.type === 'attempt-ended') noteAttempt(unanswered, event);
    if (event.type === 'slice-failed')
      missing.push({ ...event.slice, why: sliceFailureInWords(event.error) });
    const slice = settledBy(event);
    if (slice !== undefined) settled.add(ledgerKey(slice.endpoint, slice.key));
    if (event.type === 'slice-done' && event.outcome.result === 'pending') addPending([event.slice]);
    if (event.type !== 'days-reopened') return;
    for (const { endpoint, key } of event.slices) settled.delete(ledgerKey(endpoint, key));
    addPending(event.slices);
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
  const status: TryStatus = ofRun === 'succeeded' && missing.length > 0 ? 'pending' : ofRun;
  const verdict = judgeTry(day, status, { endedMs: clock(), graceHours: config.statusGraceHours });
  return { report, end: { verdict, status, runId }, missing, unanswered };
}

/** The slice that need not be requested again; undefined if the event settles none. */
function settledBy(event: RunEvent) {
  if (event.type === 'source-unavailable') return event.slice;
  return event.type === 'slice-done' && event.outcome.result !== 'pending' ? event.slice : undefined;
}

/** Keeps the endpoint of an attempt that failed, until another one succeeds. */
function noteAttempt(unanswered: Map<string, AttemptStatus>, { purpose, status }: AttemptEnded): void {
  if (purpose === undefined) return;
  if (status === 200) unanswered.delete(purpose.endpoint);
  else unanswered.set(purpose.endpoint, status);
}
