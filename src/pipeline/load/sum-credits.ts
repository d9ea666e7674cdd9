/** Sums credits by team, after the commit of the facts: a failure is reported and does not undo the load. */
import type pg from 'pg';
import { explain } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { analyzeGrown } from '../../warehouse/load/analyze-grown.ts';
import { renewCreditSums } from '../../warehouse/sums/credit-sums.ts';

/** The context of summing. */
export interface SummingContext {
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
}

/**
 * Analyzes the tables that the load has made much larger, and updates the credit sums of organizations; the caller holds
 * their locks. A failure is only reported, because views read the facts of days without sums. Throws only if the run is
 * aborted.
 */
export async function sumCredits(
  { pool, signal, onEvent, redact }: SummingContext,
  orgKeys: readonly number[],
): Promise<void> {
  // Without it autovacuum does it a minute later.
  await analyzeGrown(pool).catch(() => signal.throwIfAborted());
  for (const orgKey of orgKeys)
    try {
      await renewCreditSums(pool, orgKey, signal);
    } catch (error) {
      signal.throwIfAborted();
      onEvent({ type: 'sums-failed', reason: redact(explain(error)) });
      return;
    }
}
