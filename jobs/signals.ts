/** Handles SIGTERM and SIGINT: the first signal aborts the job, the second one ends the process. */
import { InterruptedError } from '../src/model/errors.ts';
import { exitCode } from './job.ts';
import { tell } from './tell.ts';

/** The time that a job has after the first signal to commit or roll back. */
const graceMs = 9_000;
/** A signal to a process group may arrive twice, because npm, for example, passes its own signal on. */
const sameSignalMs = 500;

/**
 * Aborts `abort` at the first signal, and ends the process at the second one, or after `graceMs`. A signal within half a
 * second of the first one counts as the same signal. Listeners to the process's `exit` clean up then. Returns a function
 * that stops listening, unless there was a signal. `now` is a monotonic clock in ms.
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
    // Exit at once when the job is done: while Node shuts down slowly, it does not listen, and a second signal would kill
    // the process with another exit code.
    process.once('beforeExit', (ended) => queueMicrotask(() => process.exit(ended)));
    // First, because that clears a progress bar.
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
    // After a signal the process is ending. A further signal must not change its exit code, so keep listening.
    if (askedAt !== undefined) return;
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
}

/**
 * Ends the process, also if a thread is blocked. `process.exit` waits for running calls of the file system, and one of
 * them may never return. So it replaces this program by another one that ends with the code.
 */
function endAtOnce(code: number): never {
  // Add the listener last, so that the others clean up before.
  process.once('exit', () => {
    try {
      process.execve?.(process.execPath, [process.execPath, '--eval', `process.exitCode = ${code}`], {});
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  });
  return process.exit(code);
}
