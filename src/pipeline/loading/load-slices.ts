/**
 * `nightly`, `backfill` and `sessions load`: plans slices, receives them and loads them; it receives and loads at the
 * same time.
 */
import { today } from '../../model/day.ts';
import type { CountedDrift } from '../../model/drift.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Slice, Source } from '../../model/source.ts';
import { readLargestSlice } from '../../warehouse/ledger/largest-slice.ts';
import { learnRequestWindow } from '../../warehouse/ledger/request-window.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { recordUnserved } from '../../warehouse/ledger/unserved-slices.ts';
import { loadReceipts } from '../load/load.ts';
import { failSlice, openLoads, recordDrift } from '../load/load-context.ts';
import { openLoadQueue } from '../load/load-queue.ts';
import { isRecognized, openRecognizeQueue, recordRecognized } from '../load/recognize.ts';
import { sumCredits } from '../load/sum-credits.ts';
import { endNight, retentionOfNight } from '../maintenance/delete-expired.ts';
import { readKnownRecords } from '../plan/known-records.ts';
import type { LoadJob } from '../plan/load-job.ts';
import { withoutUnserved } from '../plan/plan.ts';
import { pageLanes, workThrough } from '../receive/lanes.ts';
import { clientsOf, firstStates, watchFailures } from '../receive/optional-sources.ts';
import type { Receipt } from '../receive/receipt.ts';
import { receiveRead } from '../receive/receive.ts';
import { tellRecordsOfDays } from '../receive/records-of-days.ts';
import { forgetPending, keepLearned } from '../removal/forget-stored.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { createReceivedMemory, memoryOfRun, removeSpillFiles } from '../runs/received-memory.ts';
import { batchBytesOf, spillDirectory } from '../runs/shared-by-runs.ts';
import { type PlatformRun, withPlatformRun } from '../runs/with-run.ts';
import { believeEmptySlices, reopenDays } from './believe-empty-slices.ts';
import { openOrganization } from './open-organization.ts';

/** Runs a load job. It throws and reports like `withPlatformRun`. */
export function runLoadJob(job: LoadJob, surroundings: JobSurroundings): Promise<RunReport> {
  const sourceStates = firstStates(job.sources);
  return withPlatformRun(surroundings, { ...job, sourceStates, showsBar: true }, (run) =>
    loadSlices(job, run),
  );
}

/**
 * Loads the slices of a job for the organization of the credential. Records slices that fail; throws errors that stop
 * the run.
 */
async function loadSlices(job: LoadJob, run: PlatformRun): Promise<void> {
  const { config, clock, client, pool, persons, redact, signal, stop, runId, control, onEvent, shared } = run;
  const organization = await openOrganization(job, run);
  const { orgKey, organizationId, servedUntil, answerMs, known, windows } = organization;
  const { served: reads, unserved } = withoutUnserved(
    job.plan(known, { ...config, today: today(clock) }),
    servedUntil,
  );
  await control.use(({ db }) => recordUnserved(db, orgKey, runId, unserved));
  const newSlices = [...reads.flatMap((read) => read.slices), ...unserved];
  const slices = newSlices.length;
  const records = await control.use(({ db }) => readKnownRecords(db, orgKey, job.sources, known.ledger));
  const asking = { reads, records, limits: config, fits: windows, answerMs };
  onEvent({ type: 'planned', slices, newSlices, organizationId, asking });

  /** Windows that worked in this run. They are not stored, so a repeated run sends the same requests as this one. */
  const fitting = new Map<Source, number>();
  const withoutRows = new Map<string, { readonly slice: Slice; readonly deleted: number }>();
  for (const slice of unserved) withoutRows.set(ledgerKey(slice.endpoint, slice.key), { slice, deleted: 0 });
  const context = openLoads(
    { pool, orgKey, runId, ledger: known.ledger, signal, onEvent, redact, shared },
    config,
    {
      force: job.force ?? false,
      allowEmpty: job.allowEmpty ?? false,
      archives: config.rawRetentionDays > 0,
      onWithoutRows: (slice, deleted) =>
        withoutRows.set(ledgerKey(slice.endpoint, slice.key), { slice, deleted }),
    },
  );
  const batchBytes = batchBytesOf(config);
  const loads = openLoadQueue(
    (source, receipts) => loadReceipts(context, source, receipts),
    batchBytes,
    stop,
    shared?.loads,
  );
  const received = openRecognizeQueue({
    isRecognized: (receipt) => isRecognized(context, receipt),
    record: (receipts) => recordRecognized(context, receipts),
    loads,
    batchBytes,
    onFailed: stop,
  });
  const directory = spillDirectory(config);
  if (shared === undefined) removeSpillFiles(directory);
  const memory = memoryOfRun(shared?.memory ?? createReceivedMemory(config.memoryBytes, directory));
  const clientOf = clientsOf(client, config);
  const failures = watchFailures(job.sources, config, {
    fail: (slice, error) => failSlice(context, slice, error),
    onEvent,
    redact,
  });
  const receiving = {
    ...config,
    organizationId,
    largestKnown: (source: Source) => control.use(({ db }) => readLargestSlice(db, orgKey, source)),
    memory,
    onEvent,
    redact,
    persons,
    onWindowSplit(source: Source, windowDays: number) {
      windows.set(source.name, Math.min(windowDays, windows.get(source.name) ?? windowDays));
    },
    onAnswer: (source: Source, windowDays: number) => void fitting.set(source, windowDays),
    async onReceived(source: Source, receipts: readonly Receipt[]) {
      await tellRecordsOfDays(job.sources, source, receipts, onEvent);
      await keepLearned(run);
      await received.add(source, receipts);
    },
    onDrift: (slice: Slice, drift: readonly CountedDrift[]) => recordDrift(context, slice, drift),
    onFailed: failures.record,
  };
  const learnedBefore = new Map(windows);
  await workThrough(reads, {
    pageLanes: pageLanes(config.maxConcurrency),
    windowDays: (source) =>
      Math.min(
        windows.get(source.name) ?? config.windowDays,
        fitting.get(source) ?? Number.POSITIVE_INFINITY,
      ),
    process: async (read, requestOptions) => {
      if (failures.skips(read)) return true;
      try {
        return await receiveRead({ ...receiving, client: clientOf(read.source) }, read, requestOptions);
      } catch (error) {
        stop(error);
        throw error;
      }
    },
    signal,
  })
    .finally(() => received.finish())
    .finally(() => memory.end());
  // A person may have been forgotten, or a name learned, during the run. Slices loaded before that may contain the name.
  await forgetPending(run, orgKey);
  await control.use(async ({ db }) => {
    for (const [endpoint, days] of windows)
      if (learnedBefore.get(endpoint) !== days) await learnRequestWindow(db, orgKey, endpoint, days);
    await believeEmptySlices(
      db,
      { orgKey, runId, yesterday: servedUntil },
      [...withoutRows.values()],
      onEvent,
    );
    withoutRows.clear();
    await reopenDays(db, orgKey, onEvent);
    await job.named?.settle(db, { orgKey, runId, unknown: failures.unknown });
  });
  await sumCredits(run, [orgKey]);
  if (job.name !== 'nightly') return;
  const retention = retentionOfNight(config, clock, job.yesterday, servedUntil);
  await endNight(run, orgKey, retention);
}
