/** Computes the changes by which the rows of a file replace the stored ones. */
import type { RowChanges } from '../../model/run.ts';

/** Rows to delete and to insert, and the number of changes. A changed row is deleted and inserted again. */
export interface RowReplacement<Held, Wanted> {
  readonly removed: readonly Held[];
  readonly added: readonly Wanted[];
  readonly changes: RowChanges;
}

/** Compares rows by key and content: `wanted` are to replace the stored rows `held`. Keys are unique within each list. */
export function replacementOf<Held, Wanted>(
  held: readonly Held[],
  wanted: readonly Wanted[],
  keyOf: (row: Held | Wanted) => string,
  contentOf: (row: Held | Wanted) => string,
): RowReplacement<Held, Wanted> {
  const heldByKey = new Map(held.map((row) => [keyOf(row), row]));
  const wantedKeys = new Set(wanted.map(keyOf));
  const added: Wanted[] = [];
  const removed = held.filter((row) => !wantedKeys.has(keyOf(row)));
  const deleted = removed.length;
  for (const row of wanted) {
    const old = heldByKey.get(keyOf(row));
    if (old !== undefined && contentOf(old) === contentOf(row)) continue;
    if (old !== undefined) removed.push(old);
    added.push(row);
  }
  const updated = removed.length - deleted;
  return { removed, added, changes: { inserted: added.length - updated, updated, deleted } };
}
