/** A run that loads slices from the platform: organization, lock, plan, work. */

import PQueue from 'p-queue';
import type { PlatformClient } from '../extract/platform-client.ts';
import type { Config } from '../model/config.ts';
import { addDays, type Day, earliestDay } from '../model/day.ts';
import type { RunReport } from '../model/run.ts';
import type { DailySource } from '../model/source.ts';
import { expireRawSlices } from '../warehouse/archive/raw-archive.ts';
import { ensureDates, organizationKey } from '../warehouse/ledger/organization.ts';
import { learnRequestWindow, readRequestWindows } from '../warehouse/ledger/request-window.ts';
import { assignRun } from '../warehouse/ledger/run-ledger.ts';
import { type Ledger, readLedger } from '../warehouse/ledger/slice-ledger.ts';
import { createKeyCache } from '../warehouse/load/dimension-keys.ts';
import { pageLanes, workThrough } from './lanes.ts';
import { learnOrganization } from './learn-organization.ts';
import type { PlannedRead } from './plan.ts';
import { processRead } from './read-slices.ts';
import { type OpenRun, type RunOptions, recordRun } from './recorded-run.ts';
import { storeComplete } from './slice-outcomes.ts';
import { createStoreQueues } from './store-queues.ts';

/** Everything a loading run needs. */
export interface LoadRunOptions extends Omit<RunOptions, 'counts'> {
  readonly config: Config;
  readonly client: PlatformClient;
  /** Asked for one day, until one answers, to learn the organization. */
  readonly probes: readonly DailySource[];
  /** The last day that the platform serves, or that the run takes as such. */
  readonly yesterday: Day;
  /** Decides from the ledger what to read. */
  readonly plan: (ledger: Ledger) => readonly PlannedRead[];
  readonly allowEmpty: boolean;
}

/** Runs a loading job to its end; see `recordRun` for what it throws and what it reports. */
export function runJob(options: LoadRunOptions): Promise<RunReport> {
  return recordRun({ ...options, counts: options.client.counts }, (run) => loadSlices(options, run));
}

async function loadSlices(options: LoadRunOptions, { runId, control, report }: OpenRun): Promise<void> {
  const { client, config, pool, probes, yesterday, abort } = options;
  const organizationId = await learnOrganization(client, probes, yesterday);
  const orgKey = await control.use(async ({ db }) => {
    const key = await organizationKey(db, organizationId);
    await assignRun(db, runId, key);
    return key;
  });
  await control.holdOrganization(orgKey);
  const { ledger, windows } = await control.use(async ({ db }) => {
    await ensureDates(db, `${earliestDay.slice(0, 4)}-01-01`, `${addDays(yesterday, 366).slice(0, 4)}-12-31`);
    return { ledger: await readLedger(db, orgKey), windows: await readRequestWindows(db, orgKey) };
  });
  const reads = options.plan(ledger);
  const slices = reads.reduce((sum, { days }) => sum + days.length, 0);
  report({ type: 'planned', slices, organizationId });

  /** Of this run only: reading again begins as this one did, so that it asks the same and can recognize answers. */
  const fitting = new Map<DailySource, number>();
  const stopAll = (error: unknown) => {
    // The other lanes must not go on with what cannot succeed.
    if (!abort.signal.aborted) abort.abort(error);
  };
  const outcomes = {
    pool,
    orgKey,
    runId,
    organizationId,
    client,
    ledger,
    keyCache: createKeyCache(),
    settling: new PQueue({ concurrency: 1 }),
    largeSlices: new PQueue({ concurrency: 1 }),
    yesterday,
    allowEmpty: options.allowEmpty,
    skipUnchanged: true,
    replacesArchive: true,
    maxRejectedShare: config.maxRejectedShare,
    pageSize: config.pageSize,
    appVersion: options.appVersion,
    keepRaw: config.rawRetentionDays > 0,
    signal: abort.signal,
    onEvent: report,
    redact: options.redact,
    onWindowSplit(source: DailySource, windowDays: number) {
      windows.set(source.name, Math.min(windowDays, windows.get(source.name) ?? windowDays));
    },
    onAnswer: (source: DailySource, windowDays: number) => void fitting.set(source, windowDays),
  };
  const stores = createStoreQueues((days) => storeComplete(outcomes, days), stopAll);
  const context = { ...outcomes, stores };
  const learnedBefore = new Map(windows);
  await workThrough(reads, {
    pageLanes: pageLanes(config.maxConcurrency),
    windowDays: (source) =>
      Math.min(
        windows.get(source.name) ?? config.windowDays,
        fitting.get(source) ?? Number.POSITIVE_INFINITY,
      ),
    process: async (read, patience) => {
      try {
        return await processRead(context, read, patience);
      } catch (error) {
        stopAll(error);
        throw error;
      }
    },
    signal: abort.signal,
  }).finally(() => stores.finish());
  await control.use(async ({ db }) => {
    for (const [endpoint, days] of windows)
      if (learnedBefore.get(endpoint) !== days) await learnRequestWindow(db, orgKey, endpoint, days);
    if (slices > 0) await expireRawSlices(db, orgKey, addDays(yesterday, 1), config.rawRetentionDays);
  });
}
