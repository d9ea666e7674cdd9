/** Tries a night once: does a `nightly` run and judges the night by it. */
import { judgeTry, type Night, type TryEnd, type TryStatus } from '../../model/night.ts';
import type { AttemptEnded, AttemptStatus, RunEvent } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Slice, Source } from '../../model/source.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { runLoadJob } from '../loading/load-slices.ts';
import { planNightly } from '../plan/plan.ts';
import { readableSources } from '../receive/optional-sources.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';
import { registeredSessions } from '../sessions/registered-sessions.ts';
import { sliceFailureInWords } from './failure-words.ts';
import type { MissingSlice, NightNews } from './night-text.ts';
import { type LastMessage, tellNight } from './tell-night.ts';

/** A try that has ended, with the report of its run. If there was no run, it has the error. */
export type TriedNight = { readonly end: TryEnd } & (
  | { readonly report: RunReport; readonly error?: undefined }
  | { readonly report?: undefined; readonly error: unknown }
);

/** What a message needs from the caller. A night that is tried once has neither. */
export interface Telling {
  /** The last message of this process. */
  readonly here?: LastMessage;
  /** When the next try begins if this one ends now, in ms since 1970. */
  readonly nextTryMs?: () => number;
}

/**
 * Tries a night: loads the slices of `nightly` from `endpoints` that are not settled, adds loaded slices to `settled`, and
 * sends the messages of the settings. Never throws.
 */
export async function tryNight(
  surroundings: JobSurroundings,
  night: Night,
  endpoints: readonly Source[],
  telling: Telling = {},
): Promise<TriedNight> {
  const beganMs = surroundings.clock();
  try {
    return await withWarehouse(surroundings, 'writes', async (open) => {
      const { report, end, missing, unanswered } = await runNightly(open, night, endpoints);
      const news = {
        night: night.day,
        runId: report.summary.run_id,
        missing,
        stoppedBy: report.stoppedBy,
        unanswered,
        failingSinceMs: end.status === 'pending' ? undefined : (night.failingSinceMs ?? beganMs),
        nextTryMs: telling.nextTryMs?.(),
        endpoints: readableSources(endpoints, open.config).map(({ name }) => name),
      };
      await tellUnlessEnded(surroundings, news, end, open.warehouse.url, telling.here);
      return { report, end };
    });
  } catch (error) {
    return { error, end: await couldNotBegin(surroundings, night, error, telling) };
  }
}

/** Sends the message about a try that could not begin. */
export async function couldNotBegin(
  surroundings: JobSurroundings,
  { day, failingSinceMs }: Night,
  error: unknown,
  { here, nextTryMs }: Telling = {},
): Promise<TryEnd> {
  const end: TryEnd = { verdict: 'bad', status: 'failed', runId: null };
  const news = {
    night: day,
    runId: null,
    missing: [],
    stoppedBy: error,
    unanswered: new Map(),
    failingSinceMs: failingSinceMs ?? surroundings.clock(),
    nextTryMs: nextTryMs?.(),
    endpoints: [],
  };
  await tellUnlessEnded(surroundings, news, end, surroundings.config.databaseUrl, here);
  return end;
}

/** Sends the messages, unless a signal ended the try: the person who sent the signal knows. */
async function tellUnlessEnded(
  { config, log, redact, timing, abort: { signal } }: JobSurroundings,
  news: NightNews,
  end: TryEnd,
  databaseUrl: string | undefined,
  here: LastMessage | undefined,
): Promise<void> {
  if (!signal.aborted) await tellNight({ config, log, redact, timing, signal }, news, end, databaseUrl, here);
}

/** Does one run that takes the night's day as yesterday. Returns also the pending slices of that day. */
async function runNightly(
  surroundings: JobSurroundings,
  { day, settled }: Night,
  endpoints: readonly Source[],
) {
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
