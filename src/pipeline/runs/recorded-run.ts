/** Opens a run in the ledger, counts its events, and closes it with its figures, also after an error. */
import { explain } from '../../model/errors.ts';
import type { OnRunEvent, RequestCounts } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { appVersion } from '../../model/version.ts';
import { counted } from '../../reporting/number-text.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { type ControlConnection, openControlConnection } from '../../warehouse/ledger/control-connection.ts';
import { closeDeadRuns, closeRun, openRun } from '../../warehouse/ledger/run-ledger.ts';
import type { OpenSurroundings } from './job-surroundings.ts';
import { warehouseProblem } from './open-warehouse.ts';
import type { RunJob } from './run-job.ts';
import { createTally, statusOf, type Tally } from './tally.ts';
import type { RecordEnd } from './unrecorded-ends.ts';

/** A run to record in the ledger. */
export interface LedgerRun {
  readonly job: RunJob;
  /** Requests to the platform, counted as they are sent. */
  readonly counts: RequestCounts;
  readonly onEvent: OnRunEvent;
  /** Sanitizes the error that is recorded. */
  readonly redact: Sanitizer;
}

/** A run that is open in the ledger. */
export interface OpenLedgerRun {
  readonly runId: string;
  readonly control: ControlConnection;
  /** Counts an event and passes it on. */
  readonly onEvent: OnRunEvent;
}

/**
 * Does `work` as a run of the ledger. It counts slices that fail; the next run tries them again. An error that stops the
 * run early (refused credentials, a lock that is held, a signal, a lost database) is in `stoppedBy` of the report.
 * Throws only if the run could not be opened.
 */
export async function recordInLedger(
  open: OpenSurroundings,
  run: LedgerRun,
  work: (opened: OpenLedgerRun) => Promise<void>,
): Promise<RunReport> {
  const startedAt = performance.now();
  const { job, counts } = run;
  const {
    abort,
    clock,
    unrecorded,
    shared,
    config: { lockTimeoutMs, organization },
    warehouse: { pool },
  } = open;
  const tally = createTally(job.sourceStates);
  const onEvent: OnRunEvent = (event) => {
    tally.count(event);
    run.onEvent(event);
  };
  const ofFile = organization === undefined ? {} : { organization: organization.name };
  const controlOptions = {
    signal: abort.signal,
    lockTimeoutMs,
    onWait: (reason: string) => onEvent({ type: 'waiting', reason }),
    onReconnected: () => onEvent({ type: 'database-reconnected' }),
    onLost: (error: Error) => abort.abort(error),
  };
  const control = await openControlConnection(pool, controlOptions, shared?.locks);
  let runId = '0';
  let stoppedBy: unknown;
  try {
    runId = await control.useLocks(async (session) => {
      // Otherwise `closeDeadRuns` would close them as runs of a process that died.
      await unrecorded?.record(session);
      const runIds = await (shared?.closeDeadRuns ?? closeDeadRuns)(session.db);
      if (runIds.length > 0) onEvent({ type: 'dead-runs-closed', runIds });
      return openRun(session, job.name, { ...job.arguments, ...ofFile }, appVersion, new Date(clock()));
    });
    control.holdRun(runId);
    onEvent({ type: 'run-begun', job: job.name, runId, ...ofFile });
    try {
      await work({ runId, control, onEvent });
    } catch (error) {
      stoppedBy = abort.signal.aborted ? (abort.signal.reason ?? error) : error;
      if (!abort.signal.aborted) abort.abort(error);
    }
    stoppedBy = await recordEnd(open, run, control, runId, tally, stoppedBy);
  } finally {
    if (runId !== '0') onEvent({ type: 'run-ended', status: statusOf(tally, stoppedBy !== undefined) });
    await control.close();
  }
  return {
    summary: {
      run_id: Number(runId),
      status: statusOf(tally, stoppedBy !== undefined),
      slices: tally.slices,
      ...(tally.shrunk.length === 0 ? {} : { refused: tally.shrunk }),
      ...(job.sourceStates === undefined ? {} : { sources: tally.sources }),
      rows: tally.rows,
      requests: { sent: counts.sent, retried: counts.retried },
      ...(tally.persons.byAddress === 0 ? {} : { forgotten: tally.persons.byAddress }),
      duration_ms: Math.round(performance.now() - startedAt),
    },
    failures: tally.failures,
    refused: tally.refused,
    loaded: [...tally.loaded.values()],
    drift: [...tally.drift.values()],
    stoppedBy: await warehouseProblem(stoppedBy, open.warehouse),
  };
}

/**
 * Records the end of a run. If that fails, it adds the end to `unrecorded`, so that the process can record it later.
 * Returns the error that stopped the run; this may be the loss of the database here.
 */
async function recordEnd(
  { warehouse: { pool }, abort, unrecorded }: OpenSurroundings,
  { counts, redact }: LedgerRun,
  control: ControlConnection,
  runId: string,
  tally: Tally,
  stoppedBy: unknown,
): Promise<unknown> {
  const endOf = (stopped: unknown): RecordEnd => {
    const figures = {
      requests: counts.sent,
      retries: counts.retried,
      rowsRead: tally.rows.read,
      rowsInserted: tally.rows.inserted,
      rowsUpdated: tally.rows.updated,
      rowsDeleted: tally.rows.deleted,
      rowsRejected: tally.rows.rejected,
    };
    const status = statusOf(tally, stopped !== undefined);
    const error = stopped === undefined ? failuresInWords(tally) : redact(explain(stopped));
    return (session) => closeRun(session, runId, status, figures, error);
  };
  try {
    await control.use(endOf(stoppedBy));
    return stoppedBy;
  } catch (closing) {
    const stopped = stoppedBy ?? (abort.signal.aborted ? abort.signal.reason : closing);
    const end = endOf(stopped);
    // The control connection is lost. Perhaps the database still accepts another connection.
    await withSession(pool, end).catch(() => unrecorded?.add(end));
    return stopped;
  }
}

function failuresInWords({ failures, limits }: Tally): string | null {
  if (limits.failed > 0)
    return `${counted(limits.failed, 'credit limit')} could not be set, see etl.credit_limit_change`;
  const [first] = failures;
  if (first === undefined) return null;
  return `${counted(failures.length, 'slice')} failed; the first: ${first.endpoint} ${first.key}: ${first.reason}`;
}
