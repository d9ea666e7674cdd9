/** The progress bar of a run, on a terminal. */
import { columnsOf } from './terminal.ts';

/** A terminal on which a bar is drawn. */
interface BarStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** A progress bar. */
export interface ProgressBar {
  start(): void;
  /** Clears its line for a log line; the bar is drawn again below it. */
  makeRoom(): void;
  /** Removes the bar; may be called again. */
  stop(): void;
}

const betweenDrawingsMs = 100;
const clearLine = '\r\u001b[K';
const [hideCursor, showCursor] = ['\u001b[?25l', '\u001b[?25h'];

/** A bar that shows the text from `line`, which is called with the current width of the terminal. */
export function createProgressBar(
  line: (columns: number) => string,
  stream: BarStream = process.stderr,
): ProgressBar {
  let drawn = '';
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    const text = line(columnsOf(stream));
    if (text === drawn) return;
    drawn = text;
    // The cursor goes back to the first column: after a long line, the `^C` that a terminal shows would begin a new line.
    stream.write(`\r${text}\u001b[K\r`);
  };
  const clear = () => {
    drawn = '';
    stream.write(clearLine);
  };
  const stop = () => {
    if (timer === undefined) return;
    clearInterval(timer);
    timer = undefined;
    clear();
    stream.write(showCursor);
    process.off('exit', stop);
  };
  return {
    start() {
      if (timer !== undefined) return;
      stream.write(hideCursor);
      timer = setInterval(draw, betweenDrawingsMs).unref();
      draw();
      // Restores the cursor when the program ends early.
      process.once('exit', stop);
    },
    makeRoom() {
      if (timer !== undefined) clear();
    },
    stop,
  };
}
