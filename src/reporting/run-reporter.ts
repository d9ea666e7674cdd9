/** Follows a run: a progress bar on a terminal, log lines elsewhere. */
import type { OnRunEvent, RequestCounts, RunEvent, RunObserver } from '../model/run.ts';
import type { Log } from './log.ts';
import { createProgressBar } from './progress-bar.ts';
import { logEvent, planInWords } from './run-event-log.ts';
import { Reasons } from './same-reason.ts';

/** Watches one run. */
export interface RunReporter {
  readonly onEvent: OnRunEvent;
  /** Removes the progress bar; call it before printing the result. */
  stop(): void;
}

/** Time between two log lines about progress: often enough to show that a long run goes on. */
const progressEveryMs = 10_000;

/**
 * A reporter that shows a bar if `isTerminal`, and passes every event on to `observers`. `counts` are the request counters
 * of the client.
 */
export async function createRunReporter(
  log: Log,
  counts: RequestCounts,
  isTerminal: boolean,
  observers: readonly RunObserver[] = [],
): Promise<RunReporter> {
  const watching = observers.map((observe) => observe());
  const bar = isTerminal ? await createProgressBar() : undefined;
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
  const failures = new Reasons();
  const logFailure = ({ slice: { endpoint, key }, reason }: Extract<RunEvent, { type: 'slice-failed' }>) => {
    // Only the first slice with a reason is logged at once. More with the same reason are counted, and logged at the end.
    if (failures.add({ endpoint, key, reason }).count === 1)
      log.error({ endpoint, slice: key, reason }, 'slice failed');
  };
  const logRepeated = () => {
    for (const { endpoint, count, from, to, reason } of failures.takeAll())
      if (count > 1) log.error({ endpoint, slices: count, from, to, reason }, 'slices failed for one reason');
  };
  return {
    onEvent(event) {
      for (const hear of watching) hear(event);
      // These events are logged even while the bar is shown: somebody may have to do something about them.
      if (
        event.type === 'day-not-served' ||
        event.type === 'organization-added' ||
        event.type === 'waiting' ||
        event.type === 'forgotten-by-address' ||
        event.type === 'maintenance-failed' ||
        event.type === 'sums-failed'
      ) {
        bar?.makeRoom();
        logEvent(log, event);
      } else if (event.type === 'source-unavailable') {
        bar?.makeRoom();
        logEvent(log, event);
        bar?.advance({ rows, requests: counts.sent });
      } else if (bar === undefined) {
        if (event.type === 'slice-failed') logFailure(event);
        else logEvent(log, event);
        logProgress(event);
      } else if (event.type === 'planned') {
        if (event.slices > 0) log.info(planInWords(event));
        bar.start(event.slices);
      } else if (event.type === 'slice-done') {
        rows += event.rowsRead;
        bar.advance({ rows, requests: counts.sent });
      } else if (event.type === 'slice-failed') bar.advance({ rows, requests: counts.sent });
      // Before the bar is shown, people want to know what the run waits for.
      else if (!bar.isUp) logEvent(log, event);
    },
    stop() {
      bar?.stop();
      logRepeated();
    },
  };
}
