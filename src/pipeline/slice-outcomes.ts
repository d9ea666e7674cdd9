/** Stores slices that are read, and records and reports what came of each. */
import { CredentialsRefusedError, explain, RequestFailedError } from '../model/errors.ts';
import type { OnRunEvent, StoredSlice } from '../model/run.ts';
import { type Ledger, ledgerKey } from '../warehouse/ledger/slice-ledger.ts';
import type { GatheredSlice } from './gathered-slice.ts';
import type { StoreContext } from './store-context.ts';
import { storeDays } from './store-days.ts';
import { type GatherMore, recordSliceFailure, storeSlice } from './store-slice.ts';

/** Where slices go, and who is told. */
export interface OutcomeContext extends StoreContext {
  /** As it was when the run began. */
  readonly ledger: Ledger;
  readonly onEvent: OnRunEvent;
  /** Hides secrets in a text that will be stored or shown. */
  readonly redact: (text: string) => string;
}

/** Stores days of one source; one that fails takes no other with it. Throws what `failSlice` throws. */
export async function storeComplete(context: OutcomeContext, days: readonly GatheredSlice[]): Promise<void> {
  // Whoever stops the run does not wait for what has not begun.
  context.signal.throwIfAborted();
  for await (const { gathered, outcome } of storeDays(context, days, context.ledger)) {
    if (outcome.status === 'rejected') await failSlice(context, gathered, outcome.reason);
    else reportStored(context, gathered, outcome.value);
  }
}

/** Stores a slice while the rest of it is read. Throws what `storeSlice` throws. */
export async function storeLarge(
  context: OutcomeContext,
  gathered: GatheredSlice,
  gatherMore: GatherMore,
): Promise<void> {
  const { slice } = gathered;
  const before = context.ledger.get(ledgerKey(slice.endpoint, slice.key));
  reportStored(context, gathered, await storeSlice(context, gathered, before, gatherMore));
}

function reportStored({ onEvent }: OutcomeContext, gathered: GatheredSlice, stored: StoredSlice): void {
  const { slice, read, drift } = gathered;
  onEvent({ type: 'slice-done', slice, stored, rowsRead: read, drift });
}

/**
 * Records and reports a failure; says whether the platform had answered. Rethrows what must stop the run: refused
 * credentials, and its abort.
 */
export async function failSlice(
  context: OutcomeContext,
  gathered: GatheredSlice,
  error: unknown,
): Promise<boolean> {
  if (error instanceof CredentialsRefusedError) throw error;
  context.signal.throwIfAborted();
  const { slice, rejected } = gathered;
  const reason = context.redact(explain(error));
  await recordSliceFailure(context, gathered, reason);
  context.onEvent({ type: 'slice-failed', slice, error, reason, rejected: rejected.length });
  return !(error instanceof RequestFailedError);
}
