/** Tries a night once: does a `nightly` run and judges the night by it. */
import type { Night, TryEnd } from '../../model/night.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Source } from '../../model/source.ts';
import { readableSources } from '../receive/optional-sources.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';
import { runNight } from './night-run.ts';
import type { NightNews } from './night-text.ts';
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
      const { report, end, missing, unanswered } = await runNight(open, night, endpoints);
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
