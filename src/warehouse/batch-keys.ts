/** The surrogate keys of all names in a batch of rows. */
import type { Batch } from '../model/pending-rows.ts';
import { type Dimension, referencesOf, type TableDefinition } from '../model/table.ts';
import type { Database } from './connection.ts';
import { type KeyCache, type ResolvedKeys, resolveKeys } from './dimension-keys.ts';

/** The surrogate key of each name of a batch, per dimension. */
export type KeysOfNames = ReadonlyMap<Dimension, Int32Array>;

/**
 * Finds or makes the keys of all names of batches of rows for `tables`; per batch, in the order of its names.
 * Dimensions in the order of their names, for the same reason as the keys within one: no transaction waits in a
 * circle.
 */
export async function resolveBatches(
  db: Database,
  orgKey: number,
  tables: readonly TableDefinition[],
  batches: readonly Batch[],
  cache: KeyCache,
  resolved: ResolvedKeys,
): Promise<KeysOfNames[]> {
  const namesOf = batches.map((batch) => namesByDimension(tables, batch));
  const dimensions = [...new Set(namesOf.flatMap((names) => [...names.keys()]))];
  dimensions.sort((a, b) => (a.table < b.table ? -1 : 1));
  for (const dimension of dimensions) {
    const names = namesOf.flatMap((ofBatch) => ofBatch.get(dimension) ?? []);
    await resolveKeys(db, orgKey, dimension, names, cache, resolved);
  }
  return namesOf.map(
    (ofBatch) =>
      new Map(
        [...ofBatch].map(([dimension, names]) => [
          dimension,
          Int32Array.from(names, (name) => surrogate(resolved, dimension, name)),
        ]),
      ),
  );
}

function namesByDimension(
  tables: readonly TableDefinition[],
  { rows }: Batch,
): Map<Dimension, readonly string[]> {
  const names = new Map<Dimension, readonly string[]>();
  // References to the same dimension share their names.
  tables.forEach((table, index) => {
    referencesOf(table).forEach(({ dimension }, position) => {
      names.set(dimension, rows[index]?.names[position] ?? []);
    });
  });
  return names;
}

/** The key of a name that was resolved. */
export function surrogate(resolved: ResolvedKeys, dimension: Dimension, naturalKey: string): number {
  const key = resolved.get(dimension)?.get(naturalKey);
  if (key === undefined)
    throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
  return key;
}

/** The keys of names, per reference of a table. */
export function keysOf(table: TableDefinition, keys: KeysOfNames): Int32Array[] {
  return referencesOf(table).map(({ dimension }) => keys.get(dimension) ?? new Int32Array());
}
