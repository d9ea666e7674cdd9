/** Questions to whoever sits at the terminal. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { wantsLinesOfLog } from './tell.ts';

/** Whoever went away in the meantime has not agreed; and others wait for the lock of the run that asks. */
const longestThoughtMs = 10 * 60_000;

/** Whether somebody can be asked, and the question shown. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && !wantsLinesOfLog();
}

/** Asks for a yes or no on standard error; no answer within ten minutes is a no. Throws the reason of `signal` when it aborts. */
export async function asksYes(question: string, signal: AbortSignal): Promise<boolean> {
  // Without raw mode Ctrl-C stays a signal, which ends a run as at any other time.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(longestThoughtMs)]);
  try {
    const closed = once(lines, 'close').then(() => '');
    const answer = await Promise.race([lines.question(`${question} [y/N] `, { signal: timeout }), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return false;
    throw error;
  } finally {
    lines.close();
  }
}
