/** Follows a run: a progress bar on a terminal, log lines elsewhere. */
import type { OnRunEvent, RequestCounts, RunEvent, RunObserver } from '../model/run.ts';
import { RunProgress } from '../model/work/run-progress.ts';
import type { Log } from './log.ts';
import { planInWords, stepsInWords } from './plan-text.ts';
import { createProgressBar } from './progress-bar.ts';
import { progressLine } from './progress-line.ts';
import { logEvent } from './run-event-log.ts';
import { Reasons } from './same-reason.ts';

/** Watches one run. */
export interface RunReporter {
  readonly onEvent: OnRunEvent;
  /** Removes the progress bar; call it before printing the result. */
  stop(): void;
}

/** Time between two log lines about progress: often enough to show that a long run goes on. */
const progressEveryMs = 10_000;

/** Options of a reporter. */
export interface RunReporterOptions {
  /** The client's request counters. */
  readonly counts: RequestCounts;
  /** Whether a progress bar is shown on the terminal. */
  readonly showsBar: boolean;
  /** Observers, each of which gets every event. */
  readonly observers?: readonly RunObserver[] | undefined;
  /** When it aborts, the bar ends, so that sentences about the end of the run begin on a new line. */
  readonly signal: AbortSignal;
  /** A monotonic clock in milliseconds; default the machine's. */
  readonly now?: () => number;
}

/** A reporter that shows the progress of a run, and passes every event on to the observers. */
export function createRunReporter(
  log: Log,
  { counts, showsBar, observers = [], signal, now = () => performance.now() }: RunReporterOptions,
): RunReporter {
  const watching = observers.map((observe) => observe());
  const progress = new RunProgress(now);
  let records = 0;
  const bar = showsBar
    ? createProgressBar((columns) => {
        const { shown } = progress;
        return shown === undefined ? '' : progressLine({ ...shown, records }, columns);
      })
    : undefined;
  const stopBar = () => bar?.stop();
  signal.addEventListener('abort', stopBar, { once: true });
  let hadBar = false;
  let loggedAt = now();
  const logProgress = () => {
    const { shown } = progress;
    if (shown === undefined || now() - loggedAt < progressEveryMs) return;
    loggedAt = now();
    const { part, parts, requests, timeLeftMs } = shown;
    log.info(
      {
        [`${part}s`]: parts.done,
        planned: parts.total,
        ...(records === 0 ? {} : { rows: records }),
        requests: counts.sent,
        ...(requests === undefined ? {} : { requests_expected: requests.total }),
        ...(timeLeftMs === undefined ? {} : { seconds_left: Math.ceil(timeLeftMs / 1000) }),
      },
      'progress',
    );
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
      const hasMoved = progress.hear(event);
      if (event.type === 'slice-done') records += event.rowsRead;
      // Somebody may have to do something about these, whatever moves on the terminal.
      if (
        event.type === 'day-not-served' ||
        event.type === 'organization-added' ||
        event.type === 'waiting' ||
        event.type === 'forgotten-by-address' ||
        event.type === 'maintenance-failed' ||
        event.type === 'sums-failed' ||
        event.type === 'source-unavailable'
      ) {
        bar?.makeRoom();
        logEvent(log, event);
      } else if (bar === undefined) {
        if (event.type === 'slice-failed') logFailure(event);
        else logEvent(log, event);
      } else if (event.type === 'planned' || event.type === 'steps-planned') {
        const hasWork = event.type === 'steps-planned' || event.slices > 0;
        bar.makeRoom();
        if (hasWork) log.info(event.type === 'planned' ? planInWords(event) : stepsInWords(event));
        if (hasWork && !signal.aborted) bar.start();
        hadBar ||= hasWork;
      }
      // Before there is a bar to look at, people want to know what is waited for.
      else if (!hadBar) logEvent(log, event);
      if (hasMoved && bar === undefined) logProgress();
    },
    stop() {
      stopBar();
      signal.removeEventListener('abort', stopBar);
      logRepeated();
    },
  };
}
