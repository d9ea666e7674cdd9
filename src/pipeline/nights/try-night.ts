/** One try of a night: a `nightly` run, and what it means for the night. */
import type { Day } from '../../model/day.ts';
import { judgeTry, type Night, type TryEnd } from '../../model/night.ts';
import type { RunEvent, RunReport } from '../../model/run.ts';
import type { Source } from '../../model/source.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { openConfiguredWarehouse } from '../open-warehouse.ts';
import { readableSources } from '../optional-sources.ts';
import { planNightly } from '../plan.ts';
import { type JobSurroundings, runLoadJob } from '../run.ts';
import { registeredSessions } from '../sessions/registered-sessions.ts';

/** A try that got as far as a run. */
export interface TriedNight {
  readonly report: RunReport;
  readonly end: TryEnd;
}

/**
 * Tries a night: reads of `endpoints` what `nightly` reads and is not settled, and adds to `settled` what came. Throws
 * when the run could not be opened.
 */
export async function tryNight(
  surroundings: JobSurroundings,
  night: Night,
  endpoints: readonly Source[],
): Promise<TriedNight> {
  const { config, clock } = surroundings;
  const { day, settled } = night;
  const before = new Set(settled);
  let pending = 0;
  const observe = () => (event: RunEvent) => {
    const slice = doneSlice(event);
    if (slice !== undefined) settled.add(ledgerKey(slice.endpoint, slice.key));
    if (isPendingOf(event, day)) pending += 1;
  };
  const report = await withOwnAbort(surroundings, (own) =>
    runNightly(
      { ...own, observers: [...(own.observers ?? []), observe] },
      { day, settled: before },
      endpoints,
    ),
  );
  const { run_id, status: ofRun } = report.summary;
  const status = ofRun === 'succeeded' && pending > 0 ? 'pending' : ofRun;
  const verdict = judgeTry(day, status, { endedMs: clock(), graceHours: config.statusGraceHours });
  return { report, end: { verdict, status, runId: run_id } };
}

/** One run that takes the night's day as yesterday. */
async function runNightly(
  surroundings: JobSurroundings,
  { day, settled }: { readonly day: Day; readonly settled: ReadonlySet<string> },
  endpoints: readonly Source[],
): Promise<RunReport> {
  const { config } = surroundings;
  const sources = readableSources(endpoints, config);
  const warehouse = await openConfiguredWarehouse(surroundings);
  try {
    return await runLoadJob(
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
        plan: (known, options) => planNightly(sources, day, known, { ...options, settled }),
      },
      surroundings,
      warehouse,
    );
  } finally {
    await warehouse.close();
  }
}

/** The slice that need not be asked for again; undefined when the event is about none. */
function doneSlice(event: RunEvent) {
  if (event.type === 'source-unavailable') return event.slice;
  return event.type === 'slice-done' && event.outcome.result !== 'pending' ? event.slice : undefined;
}

function isPendingOf(event: RunEvent, day: Day): boolean {
  return event.type === 'slice-done' && event.outcome.result === 'pending' && event.slice.usageDate === day;
}

/** A run that must stop early aborts itself, not who runs it; a signal to who runs it aborts the run. */
async function withOwnAbort<T>(
  surroundings: JobSurroundings,
  work: (own: JobSurroundings) => Promise<T>,
): Promise<T> {
  const { signal } = surroundings.abort;
  const abort = new AbortController();
  const pass = () => abort.abort(signal.reason);
  if (signal.aborted) pass();
  signal.addEventListener('abort', pass, { once: true });
  try {
    return await work({ ...surroundings, abort });
  } finally {
    signal.removeEventListener('abort', pass);
  }
}
