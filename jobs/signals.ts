/** SIGTERM and SIGINT: the first one asks a job to end, the second one ends it. */
import { InterruptedError } from '../src/model/errors.ts';
import { exitCode } from './job.ts';
import { tell } from './tell.ts';

/** Time that a job gets to finish or roll back what it has in hand. */
const graceMs = 9_000;

/**
 * Aborts `abort` at the first signal, and ends the process at the second one, or when it takes too long. What then must
 * not be left behind is seen to by listeners to the process's `exit`. Returns a function that stops
 * listening, unless there was a signal.
 */
export function listenForSignals(
  abort: AbortController,
  { staysUp }: { readonly staysUp: boolean },
): () => void {
  const code = staysUp ? exitCode.done : exitCode.incomplete;
  let wasAsked = false;
  const stop = (signal: NodeJS.Signals) => {
    if (wasAsked) process.exit(code);
    wasAsked = true;
    tell(`Interrupted; ${signal === 'SIGINT' ? 'Ctrl-C' : 'a signal'} again ends at once`, 'info');
    abort.abort(new InterruptedError(`interrupted by ${signal}`));
    setTimeout(() => {
      tell('did not end in time after the signal; the database rolls back what was open');
      process.exit(code);
    }, graceMs).unref();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  return () => {
    // Whoever was told to end is about to: a second signal that comes in between must not change how it ended.
    if (wasAsked) return;
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
  };
}
