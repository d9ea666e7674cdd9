/** Credits are summed by team after the commit of what they are made of: what fails then is told, and undoes nothing. */
import type pg from 'pg';
import { explain } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { renewCreditSums } from '../../warehouse/sums/credit-sums.ts';

/** What summing needs beside the organizations. */
export interface SummingContext {
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
}

/**
 * Sums the credits of organizations by team where that is out of date; the caller holds their locks. A failure is
 * reported: views take the facts of days without sums. Throws only when the run is aborted.
 */
export async function sumCredits(
  { pool, signal, onEvent, redact }: SummingContext,
  orgKeys: readonly number[],
): Promise<void> {
  for (const orgKey of orgKeys)
    try {
      await renewCreditSums(pool, orgKey, signal);
    } catch (error) {
      signal.throwIfAborted();
      onEvent({ type: 'sums-failed', reason: redact(explain(error)) });
      return;
    }
}
