/** At the end of a run it is decided which answers without rows are believed. */
import type { Day } from '../model/day.ts';
import type { OnRunEvent } from '../model/run.ts';
import type { Slice } from '../model/source.ts';
import { sources } from '../sources/registry.ts';
import type { Database } from '../warehouse/connection/connection.ts';
import { believeEmptyDays } from '../warehouse/ledger/empty-days.ts';
import { ledgerKey } from '../warehouse/ledger/slice-ledger.ts';
import { unchanged } from './load/recognize.ts';

/** A slice that was answered without rows, or could not be asked for; and how many rows that took from the tables. */
export interface NothingFound {
  readonly slice: Slice;
  readonly deleted: number;
}

/** Decides which of the slices are empty, records it, and reports all of them. May be repeated until it resolves. */
export async function reportNothing(
  db: Database,
  run: { readonly orgKey: number; readonly runId: string; readonly yesterday: Day },
  nothing: readonly NothingFound[],
  report: OnRunEvent,
): Promise<void> {
  const doubted = sources
    .filter(({ partitioning }) => partitioning.withoutRecords === 'doubted')
    .map(({ name }) => name);
  const saysNothing = sources.flatMap(({ name, nothingWhere }) =>
    nothingWhere === undefined ? [] : [{ endpoint: name, ...nothingWhere }],
  );
  const believed = await believeEmptyDays(db, run, doubted, saysNothing);
  const isEmpty = new Set(believed.map(({ endpoint, key }) => ledgerKey(endpoint, key)));
  for (const { slice, deleted } of nothing) {
    const result = isEmpty.has(ledgerKey(slice.endpoint, slice.key)) ? 'empty' : 'pending';
    report({
      type: 'slice-done',
      slice,
      outcome: { ...unchanged, result, deleted },
      rowsRead: 0,
      drift: [],
    });
  }
}
