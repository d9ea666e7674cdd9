/** Asks questions at the terminal. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { wantsLinesOfLog } from './tell.ts';

/** The longest wait for an answer. It is limited, because other runs may wait for locks of the run that asks. */
const longestAnswerMs = 10 * 60_000;

/** Whether a person at a terminal can read a question and answer it. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true && !wantsLinesOfLog();
}

/**
 * Asks a yes-or-no question on standard error; no answer within ten minutes is a no. Throws the reason of `signal` if
 * it aborts.
 */
export async function asksYes(question: string, signal: AbortSignal): Promise<boolean> {
  // `terminal: false` avoids raw mode, so that Ctrl-C still sends a signal.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const timeout = AbortSignal.any([signal, AbortSignal.timeout(longestAnswerMs)]);
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
