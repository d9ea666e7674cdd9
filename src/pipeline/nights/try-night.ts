/** Tries a night once: does a `nightly` run and judges the night by it. */
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
import { withWarehouse } from '../runs/with-warehouse.ts';
import { registeredSessions } from '../sessions/registered-sessions.ts';
import type { NightNews } from './night-text.ts';
import { type LastMessage, tellNight } from './tell-night.ts';

/** A try that has ended, with the report of its run. If there was no run, it has the error. */
export type TriedNight = { readonly end: TryEnd } & (
  | { readonly report: RunReport; readonly error?: undefined }
  | { readonly report?: undefined; readonly error: unknown }
);

/**
 * Tries a night: loads the slices of `nightly` from `endpoints` that are not settled, adds loaded slices to `settled`, and
 * sends the messages of the settings. Never throws.
 */
export async function tryNight(
  surroundings: JobSurroundings,
  night: Night,
  endpoints: readonly Source[],
  here?: LastMessage,
): Promise<TriedNight> {
  try {
    return await withWarehouse(surroundings, 'writes', async (open) => {
      const { report, end, pending } = await runNightly(open, night, endpoints);
      const { run_id: runId } = report.summary;
      const missing = [...report.failures, ...pending];
      const { stoppedBy } = report;
      const names = readableSources(endpoints, open.config).map(({ name }) => name);
      const news = { night: night.day, runId, missing, stoppedBy, endpoints: names };
      await tellUnlessEnded(surroundings, news, end, open.warehouse.url, here);
      return { report, end };
    });
  } catch (error) {
    return { error, end: await couldNotBegin(surroundings, night, error, here) };
  }
}

/** Sends the message about a try that could not begin. */
export async function couldNotBegin(
  surroundings: JobSurroundings,
  { day }: Night,
  error: unknown,
  here?: LastMessage,
): Promise<TryEnd> {
  const end: TryEnd = { verdict: 'bad', status: 'failed', runId: null };
  const news = { night: day, runId: null, missing: [], stoppedBy: error, endpoints: [] };
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
