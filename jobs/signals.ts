/** SIGTERM and SIGINT: the first one asks a job to end, a later one ends it. */
import { InterruptedError } from '../src/model/errors.ts';
import { exitCode } from './job.ts';
import { tell } from './tell.ts';

/** Time that a job gets to finish or roll back what it has in hand. */
const graceMs = 9_000;
/** A signal to a process group arrives once more where npm, or whoever else started us, hands on its own. */
const sameSignalMs = 500;

/**
 * Aborts `abort` at the first signal, and ends the process at a second one, or when it takes too long. SIGTERM or SIGINT
 * within half a second of the first one is the same one. What must not be left behind then is seen to by listeners to the
 * process's `exit`. Returns a function that stops listening, unless there was a signal. `now` is a clock in ms that is
 * never set.
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
    // Node stops listening before the process is gone, and the same signal once more would then kill it.
    process.once('beforeExit', (ended) => queueMicrotask(() => process.exit(ended)));
    tell(`Interrupted; ${signal === 'SIGINT' ? 'Ctrl-C' : 'a signal'} again ends at once`, 'info');
    abort.abort(new InterruptedError(`interrupted by ${signal}`));
    // What came meanwhile is heard only now.
    askedAt = now();
    setTimeout(() => {
      tell('did not end in time after the signal; the database rolls back what was open');
      endAtOnce(code);
    }, graceMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return () => {
    // Whoever was told to end is about to: a second signal that comes in between must not change how it ended.
    if (askedAt !== undefined) return;
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
}

/**
 * Ends the process, whatever its threads wait for: Node's own end waits for calls of the file system that are under way,
 * and one that never returns would never let it end. Another program takes the place of this one, and ends with the code.
 */
function endAtOnce(code: number): never {
  // The last listener: what must not be left behind is seen to by those before.
  process.once('exit', () => {
    try {
      process.execve?.(process.execPath, [process.execPath, '--eval', `process.exitCode = ${code}`], {});
    } finally {
      process.kill(process.pid, 'SIGKILL');
    }
  });
  return process.exit(code);
}
