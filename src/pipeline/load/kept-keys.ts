/** Which rows stay although they did not come: their record could not be read, or their breakdown is missing. */
import type { KeptRows } from '../../flatten/flat-record.ts';
import type { Slice } from '../../model/source.ts';
import type { TableDefinition } from '../../model/table.ts';
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
