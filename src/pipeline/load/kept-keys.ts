/** Which rows stay although they did not come: their record could not be read, or their breakdown is missing. */
import type { KeptRows } from '../../flatten/flat-record.ts';
import type { PackedRows } from '../../flatten/packed-rows.ts';
import type { Slice } from '../../model/source.ts';
import { partSeparator, type TableDefinition } from '../../model/table.ts';
import type { KeptKeys } from '../../warehouse/load/difference.ts';
import type { DimensionKeys } from '../../warehouse/load/dimension-keys.ts';

/** Rows of a slice that are to stay. */
export interface KeptOfSlice {
  readonly slice: Slice;
  readonly kept: readonly KeptRows[];
}

/** The surrogate keys of rows that are to stay. A name without a key has no rows. */
export async function keptKeys(
  keys: DimensionKeys,
  tables: readonly TableDefinition[],
  ofSlices: readonly KeptOfSlice[],
): Promise<Map<TableDefinition, KeptKeys[]>> {
  const found = new Map<TableDefinition, KeptKeys[]>();
  for (const { slice, kept } of ofSlices)
    for (const [index, ofTable] of Map.groupBy(kept, ({ table }) => table)) {
      const table = tables[index];
      if (table === undefined) continue;
      const columns = await Promise.all(
        table.keys.map(async ({ dimension }, position) => {
          const names = new Set(ofTable.flatMap(({ leadingKeys }) => leadingKeys[position] ?? []));
          return names.size === 0 ? new Map<string, number>() : keys.find(dimension, [...names]);
        }),
      );
      const rows = found.get(table) ?? [];
      for (const { leadingKeys } of ofTable) {
        const surrogates = leadingKeys.flatMap((name, position) => columns[position]?.get(name) ?? []);
        if (surrogates.length === leadingKeys.length) rows.push({ slice, leadingKeys: surrogates });
      }
      found.set(table, rows);
    }
  return found;
}

/**
 * What is left of `kept` after a portion that came later, with these rows of the first of `tables`: a record replaces
 * an earlier one with the same key, and what that one lacked counts no more. What a rejected record keeps stays.
 */
export function keptUnlessReplaced(
  kept: readonly KeptRows[],
  [root]: readonly TableDefinition[],
  later: PackedRows | undefined,
): readonly KeptRows[] {
  if (kept.length === 0 || root === undefined || later === undefined) return kept;
  const identity = ({ leadingKeys }: KeptRows) => leadingKeys.slice(0, root.keys.length).join(partSeparator);
  // Only a rejected record keeps its row of the first table, too.
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
