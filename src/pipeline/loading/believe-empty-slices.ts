/** Decides at the end of a run which slices without rows are empty, and which are pending. */
import type { Day } from '../../model/day.ts';
import type { OnRunEvent } from '../../model/run.ts';
import { type Slice, sliceOf } from '../../model/source.ts';
import { sources } from '../../sources/registry.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { believeEmptyDays, type Doubts, reopenEmptyDays } from '../../warehouse/ledger/empty-days.ts';
import { ledgerKey } from '../../warehouse/ledger/slice-ledger.ts';
import { unchanged } from '../load/recognize.ts';

/** A slice without rows: its answer had none, or the platform does not serve it yet. */
export interface SliceWithoutRows {
  readonly slice: Slice;
  /** Rows of the slice that were deleted. */
  readonly deleted: number;
}

const doubted = sources.filter(({ partitioning }) => partitioning.withoutRecords === 'doubted');

const doubts: Doubts = {
  endpoints: doubted.map(({ name }) => name),
  nothingWhere: doubted.flatMap(({ name, nothingWhere }) =>
    nothingWhere === undefined ? [] : [{ endpoint: name, ...nothingWhere }],
  ),
};

/** Decides which of the slices are empty, records it, and reports all of them. It may be repeated after an error. */
export async function believeEmptySlices(
  db: Database,
  run: { readonly orgKey: number; readonly runId: string; readonly yesterday: Day },
  withoutRows: readonly SliceWithoutRows[],
  onEvent: OnRunEvent,
): Promise<void> {
  if (withoutRows.length === 0) return;
  const believed = await believeEmptyDays(db, run, doubts);
  const isEmpty = new Set(believed.map(({ endpoint, key }) => ledgerKey(endpoint, key)));
  for (const { slice, deleted } of withoutRows) {
    const result = isEmpty.has(ledgerKey(slice.endpoint, slice.key)) ? 'empty' : 'pending';
    onEvent({
      type: 'slice-done',
      slice,
      outcome: { ...unchanged, result, deleted },
      rowsRead: 0,
      drift: [],
    });
  }
}

/**
 * Makes empty days pending again if another endpoint now holds rows for them, and reports these days. It may be
 * repeated after an error.
 */
export async function reopenDays(db: Database, orgKey: number, onEvent: OnRunEvent): Promise<void> {
  const reopened = await reopenEmptyDays(db, orgKey, doubts);
  const slices = doubted.flatMap((source) =>
    reopened.filter(({ endpoint }) => endpoint === source.name).map(({ key }) => sliceOf(source, key)),
  );
  if (slices.length > 0) onEvent({ type: 'days-reopened', slices });
}
