/** Sums credits by team, after the commit of the facts: a failure is reported and does not undo the load. */
import type pg from 'pg';
import { explain } from '../../model/errors.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { user } from '../../sources/dimensions.ts';
import { analyzeGrown } from '../../warehouse/load/analyze-grown.ts';
import { renewCreditSums } from '../../warehouse/sums/credit-sums.ts';

/** The context of summing. */
export interface SummingContext {
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
}

/** The tables that an import of people changes, and the users that the views join with them. */
const tablesOfPeople = ['warehouse.person_assignment', `warehouse.${user.table}`];
const tablesOfSums = ['etl.summed_credits', 'etl.summed_day'];

/**
 * Analyzes the tables that the load has made much larger, and updates the credit sums of organizations; the caller holds
 * their locks. A failure is only reported, because views read the facts of days without sums. Throws only if the run is
 * aborted.
 */
export async function sumCredits(context: SummingContext, orgKeys: readonly number[]): Promise<void> {
  await analyze(context);
  await renewSums(context, orgKeys);
}

/**
 * Like `sumCredits`, after the teams of people have changed. It also analyzes the tables of people and of sums: even a few
 * thousand rows that the planner does not know make a report twenty times slower.
 */
export async function sumCreditsOfChangedTeams(
  context: SummingContext,
  orgKeys: readonly number[],
): Promise<void> {
  await analyze(context, tablesOfPeople);
  await renewSums(context, orgKeys);
  await analyze(context, tablesOfSums);
}

/** Without it autovacuum does it a minute later, and never if the embedded Postgres is up only while a command runs. */
async function analyze({ pool, signal }: SummingContext, changed?: readonly string[]): Promise<void> {
  await analyzeGrown(pool, changed).catch(() => signal.throwIfAborted());
}

async function renewSums(
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
