/** One run of a job that loads slices: locks, organization, plan, work, ledger. */
import type pg from 'pg';
import { readWindow } from '../extract/analytics.ts';
import type { PlatformClient } from '../extract/platform-client.ts';
import type { Config } from '../model/config.ts';
import { addDays, type Day, earliestDay } from '../model/day.ts';
import { explain } from '../model/errors.ts';
import type { OnRunEvent, RunReport, RunStatus } from '../model/run.ts';
import type { DailySource } from '../model/source.ts';
import { type ControlConnection, openControlConnection } from '../warehouse/control-connection.ts';
import { createKeyCache } from '../warehouse/dimension-keys.ts';
import { ensureDates, organizationKey } from '../warehouse/organization.ts';
import { expireRawSlices } from '../warehouse/raw-archive.ts';
import { learnRequestWindow, readRequestWindows } from '../warehouse/request-window.ts';
import { assignRun, closeDeadRuns, closeRun, openRun } from '../warehouse/run-ledger.ts';
import { type Ledger, readLedger } from '../warehouse/slice-ledger.ts';
import { workThrough } from './lanes.ts';
import type { PlannedRead } from './plan.ts';
import { processRead } from './read-slices.ts';
import { createTally, statusOf, type Tally } from './tally.ts';

/** Everything a run needs. */
export interface RunOptions {
  readonly job: string;
  /** Arguments of the job, without secrets, for the run ledger. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly config: Config;
  readonly appVersion: string;
  readonly pool: pg.Pool;
  readonly client: PlatformClient;
  /** Asked for one day to learn the organization. */
  readonly probe: DailySource;
  /** The last day that the platform serves, or that the run takes as such. */
  readonly yesterday: Day;
  /** Decides from the ledger what to read. */
  readonly plan: (ledger: Ledger) => readonly PlannedRead[];
  readonly allowEmpty: boolean;
  readonly onEvent: OnRunEvent;
  readonly redact: (text: string) => string;
  /** Ends the run early; aborted by signals from outside, and by the run when it must stop. */
  readonly abort: AbortController;
}

/**
 * Runs a job to its end. Slices that fail are counted, recorded and left to the next run. Does not throw for what
 * stops a run early (refused credentials, a lock that is held, a signal, a lost database): the result says so.
 * Throws only when the run could not even be opened.
 */
export async function runJob(options: RunOptions): Promise<RunReport> {
  const startedAt = performance.now();
  const { pool, client, abort, onEvent } = options;
  const tally = createTally();
  const report: OnRunEvent = (event) => {
    tally.count(event);
    onEvent(event);
  };
  const control = await openControlConnection(pool, {
    signal: abort.signal,
    onReconnected: () => report({ type: 'database-reconnected' }),
    onLost: (error) => abort.abort(error),
  });
  let runId = '0';
  let stoppedBy: unknown;
  try {
    runId = await control.use(async (session) => {
      const runIds = await closeDeadRuns(session.db);
      if (runIds.length > 0) report({ type: 'dead-runs-closed', runIds });
      return openRun(session, options.job, options.arguments, options.appVersion);
    });
    control.holdRun(runId);
    try {
      await loadSlices(options, control, runId, report);
    } catch (error) {
      stoppedBy = abort.signal.aborted ? (abort.signal.reason ?? error) : error;
      if (!abort.signal.aborted) abort.abort(error);
    }
    await recordEnd(options, control, runId, tally, stoppedBy);
  } finally {
    control.close();
  }
  return {
    summary: {
      run_id: Number(runId),
      status: statusOf(tally, stoppedBy !== undefined),
      slices: tally.slices,
      rows: tally.rows,
      requests: client.counts,
      duration_ms: Math.round(performance.now() - startedAt),
    },
    failures: tally.failures,
    keptDespiteEmpty: tally.keptDespiteEmpty,
    drift: [...tally.drift.values()],
    stoppedBy,
  };
}

async function loadSlices(
  options: RunOptions,
  control: ControlConnection,
  runId: string,
  report: OnRunEvent,
): Promise<void> {
  const { client, config, pool, probe, yesterday, abort } = options;
  const { organizationId } = await readWindow(client, probe.path, { from: yesterday, to: yesterday });
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

  const context = {
    pool,
    orgKey,
    runId,
    organizationId,
    client,
    ledger,
    keyCache: createKeyCache(),
    yesterday,
    allowEmpty: options.allowEmpty,
    skipUnchanged: true,
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
  };
  const learnedBefore = new Map(windows);
  await workThrough(reads, {
    // One more than requests may be under way: while one lane stores, the others keep the platform busy.
    pageLanes: config.maxConcurrency + 1,
    windowDays: (source) => windows.get(source.name) ?? config.windowDays,
    process: async (read, patience) => {
      try {
        return await processRead(context, read, patience);
      } catch (error) {
        // The other lanes must not go on with what cannot succeed.
        if (!abort.signal.aborted) abort.abort(error);
        throw error;
      }
    },
    signal: abort.signal,
  });
  await control.use(async ({ db }) => {
    for (const [endpoint, days] of windows)
      if (learnedBefore.get(endpoint) !== days) await learnRequestWindow(db, orgKey, endpoint, days);
    if (slices > 0) await expireRawSlices(db, addDays(yesterday, 1), config.rawRetentionDays);
  });
}

async function recordEnd(
  options: RunOptions,
  control: ControlConnection,
  runId: string,
  tally: Tally,
  stoppedBy: unknown,
): Promise<void> {
  const { client, redact } = options;
  const figures = {
    requests: client.counts.sent,
    retries: client.counts.retried,
    rowsRead: tally.rows.read,
    rowsInserted: tally.rows.inserted,
    rowsUpdated: tally.rows.updated,
    rowsDeleted: tally.rows.deleted,
    rowsRejected: tally.rows.rejected,
  };
  const status: RunStatus = statusOf(tally, stoppedBy !== undefined);
  const error = stoppedBy === undefined ? failuresInWords(tally) : redact(explain(stoppedBy));
  try {
    await control.use(({ db }) => closeRun(db, runId, status, figures, error));
  } catch (closing) {
    // The database is gone, which is what stopped the run: the next run closes this row.
    if (stoppedBy === undefined) throw closing;
  }
}

function failuresInWords({ failures }: Tally): string | null {
  const [first] = failures;
  if (first === undefined) return null;
  return `${failures.length} slices failed; the first: ${first.endpoint} ${first.key}: ${first.reason}`;
}
