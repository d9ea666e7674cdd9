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
      const { report, end, pending } = await runNight(open, night, endpoints);
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
