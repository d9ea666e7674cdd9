/** One try of a night: a `nightly` run, and what it means for the night. */
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
import { type ToldHere, tellNight } from './tell-night.ts';

/** A try that has ended: with the report of its run, or with the error why there was none. */
export type TriedNight = { readonly end: TryEnd } & (
  | { readonly report: RunReport; readonly error?: undefined }
  | { readonly report?: undefined; readonly error: unknown }
);

/**
 * Tries a night: reads of `endpoints` what `nightly` reads and is not settled, adds to `settled` what came, and tells of it
 * whom the settings name. Never throws.
 */
export async function tryNight(
  surroundings: JobSurroundings,
  night: Night,
  endpoints: readonly Source[],
  here?: ToldHere,
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

/** Tells of a try that could not even begin. */
export async function couldNotBegin(
  surroundings: JobSurroundings,
  { day }: Night,
  error: unknown,
  here?: ToldHere,
): Promise<TryEnd> {
  const end: TryEnd = { verdict: 'bad', status: 'failed', runId: null };
  const news = { night: day, runId: null, missing: [], stoppedBy: error, endpoints: [] };
  await tellUnlessEnded(surroundings, news, end, surroundings.config.databaseUrl, here);
  return end;
}

/** Whoever ends a try by a signal knows that. */
async function tellUnlessEnded(
  { config, log, redact, timing, abort: { signal } }: JobSurroundings,
  news: NightNews,
  end: TryEnd,
  databaseUrl: string | undefined,
  here: ToldHere | undefined,
): Promise<void> {
  if (!signal.aborted) await tellNight({ config, log, redact, timing, signal }, news, end, databaseUrl, here);
}

/** One run that takes the night's day as yesterday, and what is pending of that day. */
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

/** The slice that need not be asked for again; undefined when the event is about none. */
function settledBy(event: RunEvent) {
  if (event.type === 'source-unavailable') return event.slice;
  return event.type === 'slice-done' && event.outcome.result !== 'pending' ? event.slice : undefined;
}

function isPendingOf(day: Day, event: RunEvent): event is Extract<RunEvent, { type: 'slice-done' }> {
  return event.type === 'slice-done' && event.outcome.result === 'pending' && event.slice.usageDate === day;
}
