/** The progress bar of a run, on a terminal. */
import { progressLine } from './progress-line.ts';
import { columnsOf } from './terminal.ts';

/** A progress bar. */
export interface ProgressBar {
  /** Whether it is shown. */
  readonly isUp: boolean;
  start(slices: number): void;
  /** A slice is done. */
  advance(figures: { readonly rows: number; readonly requests: number }): void;
  /** Clears its line for a log line; the bar is drawn again below it. */
  makeRoom(): void;
  /** Removes the bar; may be called again. */
  stop(): void;
}

/** A bar on standard error with the current width of the terminal. `things` is what it counts. */
export async function createProgressBar(things = 'slices'): Promise<ProgressBar> {
  const { default: progress } = await import('cli-progress');
  let [startedAt, lastDoneAt] = [0, 0];
  let figures = { rows: 0, requests: 0 };
  const bar = new progress.SingleBar({
    format: (_options, { value, total }) =>
      progressLine(
        {
          done: value,
          total,
          ...figures,
          elapsedMs: performance.now() - startedAt,
          lastDoneMs: lastDoneAt - startedAt,
          things,
        },
        columnsOf(process.stderr),
      ),
    stream: process.stderr,
    clearOnComplete: true,
    hideCursor: true,
  });
  let isUp = false;
  const stop = () => {
    if (isUp) bar.stop();
    isUp = false;
  };
  // Restores the cursor when the program ends early.
  process.once('exit', stop);
  return {
    get isUp() {
      return isUp;
    },
    start(slices) {
      if (slices === 0) return;
      isUp = true;
      startedAt = performance.now();
      bar.start(slices, 0);
    },
    advance(now) {
      figures = now;
      lastDoneAt = performance.now();
      if (isUp) bar.increment(1);
    },
    makeRoom() {
      if (isUp) process.stderr.write('\r\u001b[K');
    },
    stop,
  };
}
