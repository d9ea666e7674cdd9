/** Follows a run: a progress bar on a terminal, log lines elsewhere. */
import type { OnRunEvent, RequestCounts, RunEvent } from '../model/run.ts';
import type { Log } from './log.ts';

/** Watches one run. */
export interface RunReporter {
  readonly onEvent: OnRunEvent;
  /** Clears what moves on the terminal; call it before printing the result. */
  stop(): void;
}

/** A log must show that a long run lives, and not more. */
const progressEveryMs = 10_000;

/** What moves on the terminal. */
interface Bar {
  start(slices: number): void;
  advance(figures: { rows: number; requests: number }): void;
  stop(): void;
}

/** A reporter that shows a bar when `isTerminal`; `counts` are the client's request counters. */
export async function createRunReporter(
  log: Log,
  counts: RequestCounts,
  isTerminal: boolean,
): Promise<RunReporter> {
  const bar = isTerminal ? await createBar() : undefined;
  let rows = 0;
  let done = 0;
  let planned = 0;
  let loggedAt = Date.now();
  const logProgress = (event: RunEvent) => {
    if (event.type === 'planned') planned = event.slices;
    if (event.type !== 'slice-done') return;
    rows += event.rowsRead;
    done += 1;
    if (Date.now() - loggedAt < progressEveryMs) return;
    loggedAt = Date.now();
    log.info({ slices: done, planned, rows, requests: counts.sent }, 'progress');
  };
  return {
    onEvent(event) {
      // Somebody may have to do something about it, whatever moves on the terminal.
      if (bar === undefined || event.type === 'waiting') logEvent(log, event);
      if (bar === undefined) logProgress(event);
      else if (event.type === 'planned') bar.start(event.slices);
      else if (event.type === 'slice-done') {
        rows += event.rowsRead;
        bar.advance({ rows, requests: counts.sent });
      } else if (event.type === 'slice-failed') bar.advance({ rows, requests: counts.sent });
    },
    stop: () => bar?.stop(),
  };
}

function logEvent(log: Log, event: RunEvent): void {
  switch (event.type) {
    case 'planned':
      log.info({ slices: event.slices, organization: event.organizationId }, 'planned');
      break;
    case 'slice-done':
      logSlice(log, event);
      break;
    case 'slice-failed':
      log.error(
        { endpoint: event.slice.endpoint, slice: event.slice.key, reason: event.reason },
        'slice failed',
      );
      break;
    case 'retry':
      log.warn(
        { path: event.path, retry: event.retry, wait_ms: Math.round(event.waitMs), reason: event.reason },
        'request failed, trying again',
      );
      break;
    case 'window-split':
      log.warn(
        { endpoint: event.endpoint, days: event.days, new_days: event.newDays, reason: event.reason },
        'window was too large, asking for fewer days',
      );
      break;
    case 'check-done':
      log.debug(
        { check: event.check, compared: event.compared, contradictions: event.contradictions },
        'checked',
      );
      break;
    case 'check-failed':
      log.error({ check: event.check, part: event.part, reason: event.reason }, 'check failed');
      break;
    case 'waiting':
      log.warn(event.reason);
      break;
    case 'dead-runs-closed':
      log.warn({ run_ids: event.runIds }, 'closed runs of processes that died');
      break;
    case 'rows-not-archived':
      log.warn(
        { rows: event.rows },
        'rows that were kept for rejected records are in no archive: they could not be brought back; read their days again with `backfill --force`',
      );
      break;
    case 'database-reconnected':
      log.warn('the database connection was lost and made again');
      break;
  }
}

function logSlice(
  log: Log,
  { slice, outcome, rowsRead, drift }: Extract<RunEvent, { type: 'slice-done' }>,
): void {
  const figures = {
    endpoint: slice.endpoint,
    slice: slice.key,
    rows: rowsRead,
    inserted: outcome.inserted,
    updated: outcome.updated,
    deleted: outcome.deleted,
    rejected: outcome.rejected,
  };
  if (outcome.refused !== undefined) log.warn(figures, outcome.refused);
  else log.debug(figures, `slice ${outcome.result}`);
  if (outcome.rejected > 0) log.warn({ ...figures }, 'rows were rejected, see etl.rejected_row');
  for (const { kind, path, occurrences, example } of drift)
    log.warn(
      { endpoint: slice.endpoint, slice: slice.key, kind, path, occurrences, example },
      'unexpected payload',
    );
}

async function createBar(): Promise<Bar> {
  const { default: progress } = await import('cli-progress');
  const bar = new progress.SingleBar(
    {
      format:
        '{bar} {percentage}% · {value}/{total} slices · {rows} rows · {requests} requests · {eta_formatted} left',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
      barsize: 24,
    },
    progress.Presets.shades_classic,
  );
  let started = false;
  return {
    start(slices) {
      if (slices === 0) return;
      started = true;
      bar.start(slices, 0, { rows: 0, requests: 0 });
    },
    advance: (figures) => bar.increment(1, figures),
    stop() {
      if (started) bar.stop();
    },
  };
}
