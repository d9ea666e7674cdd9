/** A run as the ledger sees it: opened, locked, watched, and closed with its figures, whatever happens in between. */
import type pg from 'pg';
import type { Clock } from '../../model/clock.ts';
import { explain } from '../../model/errors.ts';
import type { OnRunEvent, RequestCounts } from '../../model/run.ts';
import type { RunReport, SourceState } from '../../model/run-report.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { counted } from '../../reporting/number-text.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { type ControlConnection, openControlConnection } from '../../warehouse/ledger/control-connection.ts';
import { closeDeadRuns, closeRun, openRun } from '../../warehouse/ledger/run-ledger.ts';
import { createTally, statusOf, type Tally } from './tally.ts';
import type { RecordEnd, UnrecordedEnds } from './unrecorded-ends.ts';

/** What every run needs, whatever it does. */
export interface RunOptions {
  readonly job: string;
  /** Arguments of the job, without secrets, for the run ledger. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly appVersion: string;
  readonly pool: pg.Pool;
  /** Longest wait for a `migrate` that is at work. */
  readonly lockTimeoutMs: number;
  readonly clock: Clock;
  /** Requests to the platform, counted as they are sent. */
  readonly counts: RequestCounts;
  /** What the summary says of sources until something comes from them; undefined: it says nothing of them. */
  readonly sourceStates?: Readonly<Record<string, SourceState>>;
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
  /** Ends the run early; aborted by signals from outside, and by the run when it must stop. */
  readonly abort: AbortController;
  /** Takes the end of a run that cannot be recorded now; gives those of earlier runs. */
  readonly unrecorded?: UnrecordedEnds | undefined;
}

/** What the work of a run gets. */
export interface OpenRun {
  readonly runId: string;
  readonly control: ControlConnection;
  /** Counts an event and passes it on. */
  readonly report: OnRunEvent;
}

/**
 * Runs `work` as a recorded run. Slices that fail are counted and left to the next run. What stops a run early
 * (refused credentials, a lock that is held, a signal, a lost database) is not thrown: the report says so.
 * Throws only when the run could not even be opened.
 */
export async function recordRun(
  options: RunOptions,
  work: (run: OpenRun) => Promise<void>,
): Promise<RunReport> {
  const startedAt = performance.now();
  const { pool, counts, abort, onEvent } = options;
  const tally = createTally(options.sourceStates);
  const report: OnRunEvent = (event) => {
    tally.count(event);
    onEvent(event);
  };
  const control = await openControlConnection(pool, {
    signal: abort.signal,
    lockTimeoutMs: options.lockTimeoutMs,
    onWait: (reason) => report({ type: 'waiting', reason }),
    onReconnected: () => report({ type: 'database-reconnected' }),
    onLost: (error) => abort.abort(error),
  });
  let runId = '0';
  let stoppedBy: unknown;
  try {
    runId = await control.use(async (session) => {
      // Else they would be taken for those of a process that died.
      await options.unrecorded?.record(session);
      const runIds = await closeDeadRuns(session.db);
      if (runIds.length > 0) report({ type: 'dead-runs-closed', runIds });
      return openRun(session, options.job, options.arguments, options.appVersion, new Date(options.clock()));
    });
    control.holdRun(runId);
    report({ type: 'run-begun', job: options.job, runId });
    try {
      await work({ runId, control, report });
    } catch (error) {
      stoppedBy = abort.signal.aborted ? (abort.signal.reason ?? error) : error;
      if (!abort.signal.aborted) abort.abort(error);
    }
    stoppedBy = await recordEnd(options, control, runId, tally, stoppedBy);
  } finally {
    if (runId !== '0') report({ type: 'run-ended', status: statusOf(tally, stoppedBy !== undefined) });
    await control.close();
  }
  return {
    summary: {
      run_id: Number(runId),
      status: statusOf(tally, stoppedBy !== undefined),
      slices: tally.slices,
      ...(tally.shrunk.length === 0 ? {} : { refused: tally.shrunk }),
      ...(options.sourceStates === undefined ? {} : { sources: tally.sources }),
      rows: tally.rows,
      requests: { sent: counts.sent, retried: counts.retried },
      ...(tally.persons.drawnIn === 0 ? {} : { forgotten: tally.persons.drawnIn }),
      duration_ms: Math.round(performance.now() - startedAt),
    },
    failures: tally.failures,
    refused: tally.refused,
    loaded: [...tally.loaded.values()],
    drift: [...tally.drift.values()],
    stoppedBy,
  };
}

/** Records how a run ended, or leaves that to who lives on. Returns what stopped it: the lost database, if that came last. */
async function recordEnd(
  options: RunOptions,
  control: ControlConnection,
  runId: string,
  tally: Tally,
  stoppedBy: unknown,
): Promise<unknown> {
  const { counts, pool, redact, abort, unrecorded } = options;
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
    // Its locks are gone, which is what stopped the run. The database may be, too.
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
