/** Handles SIGTERM and SIGINT: the first signal aborts the job, the second one ends the process. */
import { InterruptedError } from '../src/model/errors.ts';
import { exitCode } from './job.ts';
import { tell } from './tell.ts';

/** How long a job may take after the first signal to commit or roll back. */
const graceMs = 9_000;
/** A second signal within this time counts as the first: npm, for example, passes on a signal that we got already. */
const sameSignalMs = 500;

/**
 * Aborts `abort` at the first signal. Ends the process at the second signal, or `graceMs` after the first; listeners to
 * the `exit` of the process then clean up. A signal within half a second of the first counts as the first. Returns a
 * function that stops listening, unless there was a signal. `now` is a monotonic clock in ms.
 */
export function listenForSignals(
  abort: AbortController,
  { staysUp }: { readonly staysUp: boolean },
  now: () => number = () => performance.now(),
): () => void {
  const code = staysUp ? exitCode.done : exitCode.incomplete;
  let askedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    if (askedAt !== undefined) {
      if (now() - askedAt > sameSignalMs) endAtOnce(code);
      return;
    }
    askedAt = now();
    // Exit at once when the job is done: while Node shuts down by itself, it does not listen to signals, and a second one
    // would kill the process with another exit code.
    process.once('beforeExit', (ended) => queueMicrotask(() => process.exit(ended)));
    // Abort before the sentence below is written, because this clears a progress bar.
    abort.abort(new InterruptedError(`interrupted by ${signal}`));
    tell(`Interrupted; ${signal === 'SIGINT' ? 'Ctrl-C' : 'a signal'} again ends at once`, 'info');
    // Take the time again: a signal that came during the lines above is handled only now, and counts as the same one.
    askedAt = now();
    setTimeout(() => {
      tell('did not end in time after the signal; the database rolls back open transactions');
      endAtOnce(code);
    }, graceMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return () => {
    // After a signal the process is ending. Go on listening, so that another signal does not change its exit code.
    if (askedAt !== undefined) return;
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
}

/**
 * Ends the process, also if a thread is blocked. `process.exit` would wait for running calls of the file system, and one of
 * them may never return. So this program is replaced by another one, which ends with the code.
 */
function endAtOnce(code: number): never {
  // This listener is added last, so that all others clean up before it.
  process.once('exit', () => {
    try {
      process.execve?.(process.execPath, [process.execPath, '--eval', `process.exitCode = ${code}`], {});
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  });
  return process.exit(code);
}
