/** Rows that stay although the answer does not contain them: their record was rejected, or their breakdown is missing. */
import type { KeptRows } from '../../flatten/flat-record.ts';
import type { PackedRows } from '../../flatten/packed-rows.ts';
import type { Slice } from '../../model/source.ts';
import { isReference, partSeparator, type StoredTable } from '../../model/table.ts';
import type { KeptKeys } from '../../warehouse/load/difference.ts';
import type { DimensionKeys } from '../../warehouse/load/dimension-keys.ts';

/** Rows of a slice that stay. */
export interface KeptOfSlice {
  readonly slice: Slice;
  readonly kept: readonly KeptRows[];
}

/** Finds the surrogate keys of the rows that stay. For a name without a surrogate key no rows are stored. */
export async function findKeptKeys(
  keys: DimensionKeys,
  tables: readonly StoredTable[],
  ofSlices: readonly KeptOfSlice[],
): Promise<Map<StoredTable, KeptKeys[]>> {
  const found = new Map<StoredTable, KeptKeys[]>();
  for (const { slice, kept } of ofSlices)
    for (const [index, ofTable] of Map.groupBy(kept, ({ table }) => table)) {
      const table = tables[index];
      if (table === undefined) continue;
      const columns = await Promise.all(
        table.keys.map(async (key, position): Promise<ReadonlyMap<string, number | string>> => {
          const names = new Set(ofTable.flatMap(({ leadingKeys }) => leadingKeys[position] ?? []));
          if (!isReference(key)) return new Map([...names].map((name) => [name, name]));
          return names.size === 0 ? new Map() : keys.find(key.dimension, [...names]);
        }),
      );
      const rows = found.get(table) ?? [];
      for (const { leadingKeys } of ofTable) {
        const stored = leadingKeys.flatMap((name, position) => columns[position]?.get(name) ?? []);
        if (stored.length === leadingKeys.length) rows.push({ slice, leadingKeys: stored });
      }
      found.set(table, rows);
    }
  return found;
}

/**
 * The rows of `kept` that still stay after a later chunk, whose rows of the main table are `later`. If a record in `later`
 * replaces an earlier one with the same key, rows no longer stay because of the earlier record, unless it was rejected.
 */
export function keptUnlessReplaced(
  kept: readonly KeptRows[],
  [root]: readonly StoredTable[],
  later: PackedRows | undefined,
): readonly KeptRows[] {
  if (kept.length === 0 || root === undefined || later === undefined) return kept;
  const identity = ({ leadingKeys }: KeptRows) => leadingKeys.slice(0, root.keys.length).join(partSeparator);
  // Only for a rejected record does the row of the main table stay, too.
  const ofRejected = new Set(kept.filter(({ table }) => table === 0).map(identity));
  const width = later.names.length;
  const again = new Set(
    Array.from({ length: later.length }, (_, row) =>
      root.keys
        .map((_key, part) => later.names[part]?.[later.keys[row * width + part] ?? -1])
        .join(partSeparator),
    ),
  );
  return kept.filter((rows) => ofRejected.has(identity(rows)) || !again.has(identity(rows)));
}
