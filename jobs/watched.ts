/** Serves health, readiness and metrics of a job that stays up, on `METRICS_PORT`. */
import type { Config } from '../src/model/config.ts';
import { explain } from '../src/model/errors.ts';
import type { Monitor } from '../src/pipeline/monitor/open-monitor.ts';
import type { DueTimes } from '../src/pipeline/nights/due-times.ts';
import { openWarehouse, type Warehouse } from '../src/pipeline/runs/open-warehouse.ts';
import type { JobContext, JobResult } from './job.ts';
import { readProcessSettings } from './settings.ts';

/** The monitor of a process, as far as its work needs it. */
export type Watching = Pick<Monitor, 'onNightEvent' | 'onJob'>;

const unwatched: Watching = { onNightEvent: () => undefined, onJob: () => undefined };

/**
 * Does `work`, and serves health, readiness and metrics if the settings name a port. Throws `ConfigurationError` before
 * `work` begins if the server cannot listen on the port.
 */
export async function watched(
  context: JobContext,
  { due, usesQueue }: { readonly due?: DueTimes; readonly usesQueue: boolean },
  work: (context: JobContext, watching: Watching) => Promise<JobResult>,
): Promise<JobResult> {
  const { config, clock, redact, log } = context;
  const { metricsPort: port, metricsHost: host } = config;
  if (port === undefined) return work(context, unwatched);
  const { openMonitor } = await import('../src/pipeline/monitor/open-monitor.ts');
  let settings = config;
  const monitor = await openMonitor({
    port,
    host,
    clock,
    sanitize: redact,
    settings: () => {
      settings = settingsNow() ?? settings;
      return settings;
    },
    nextDue: due?.next,
    usesQueue,
  });
  let embedded: Warehouse | undefined;
  try {
    log.info({ url: monitor.url }, 'health, readiness and metrics are served');
    embedded = await keepEmbedded(context);
    if (embedded !== undefined) monitor.embeddedAt(embedded.url);
    const observers = [...(context.observers ?? []), monitor.observe];
    return await work({ ...context, observers }, monitor);
  } finally {
    await monitor.close();
    await embedded?.close();
  }
}

/** Reads the settings again; undefined if they are wrong, which the next night reports. */
function settingsNow(): Config | undefined {
  try {
    return readProcessSettings();
  } catch {
    return undefined;
  }
}

/** Keeps the embedded Postgres up between two nights, because readiness and metrics are read from it. */
async function keepEmbedded({ config, log, abort }: JobContext): Promise<Warehouse | undefined> {
  if (config.databaseUrl !== undefined) return undefined;
  try {
    return await openWarehouse({ ...config, maxConnections: 1, log, signal: abort.signal });
  } catch (error) {
    // Only warn: the next night tries to start it again, and reports the error.
    if (!abort.signal.aborted) log.warn({ reason: explain(error) }, 'the embedded Postgres is not up');
    return undefined;
  }
}
