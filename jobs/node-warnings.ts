/** Where Node's own words go: its warnings into the log, and with LOG_FORMAT=json the stack of a fault too. */
import { createSanitizer, type Sanitizer } from '../src/model/sanitize.ts';
import type { Log } from '../src/reporting/log.ts';
import { tell, wantsLinesOfLog } from './tell.ts';

let log: Log | undefined;
let redact: Sanitizer = createSanitizer([]);

/** Takes the place of Node's own way to write warnings, where it has one. */
export function tellWarnings(): void {
  // Whoever runs Node without warnings gets none here, either.
  if (process.listenerCount('warning') === 0) return;
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    const sentence = redact(`${name}: ${message}`);
    if (log === undefined) tell(sentence, 'warn');
    else log.warn(sentence);
  });
}

/** From now on warnings go to this log. */
export function logWarnings(opened: { readonly log: Log; readonly redact: Sanitizer }): void {
  ({ log, redact } = opened);
}

/** Writes an error that nobody caught as a line of the log, where nothing else may stand on standard error. */
export function tellFaults(): void {
  if (!wantsLinesOfLog() || process.listenerCount('uncaughtException') > 0) return;
  process.on('uncaughtException', (error) => {
    tell(redact(error instanceof Error ? (error.stack ?? error.message) : String(error)));
    process.exit(1);
  });
}
