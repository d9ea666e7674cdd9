/** Writes Node's warnings to the log, and with LOG_FORMAT=json uncaught errors, too. */
import { createSanitizer, type Sanitizer } from '../src/model/sanitize.ts';
import type { Log } from '../src/reporting/log.ts';
import { tell, wantsLinesOfLog } from './tell.ts';

let log: Log | undefined;
let redact: Sanitizer = createSanitizer([]);

/** Replaces Node's listener for warnings. */
export function tellWarnings(): void {
  // With --no-warnings Node has no listener, so none is added.
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const sentence = redact(`${name}: ${message}`);
    if (log === undefined) tell(sentence, 'warn');
    else log.warn(sentence);
  });
}

/** Writes all later warnings to this log, and sanitizes them with `redact`. */
export function logWarnings(opened: { readonly log: Log; readonly redact: Sanitizer }): void {
  ({ log, redact } = opened);
}

/** With LOG_FORMAT=json, uncaught errors become lines of the log from now on: standard error must contain only JSON. */
export function tellFaults(): void {
  if (!wantsLinesOfLog() || process.listenerCount('uncaughtException') > 0) return;
  process.on('uncaughtException', (error) => {
    tell(redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    process.exit(1);
  });
}
