/** The surrogate keys of all names in a batch of rows. */
import type { Batch } from '../../flatten/pending-rows.ts';
import { type Dimension, referencesOf, type TableDefinition } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { type KeyCache, type ResolvedKeys, resolveKeys } from './dimension-keys.ts';

/** The surrogate key of each name of a batch, per dimension. */
export type KeysOfNames = ReadonlyMap<Dimension, Int32Array>;

/**
 * Finds or makes the keys of all names of batches; per batch, in the order of its names. Dimensions in the order of
 * their names, for the same reason as the keys within one: no transaction waits in a circle.
 */
export async function resolveBatches(
  db: Database,
  orgKey: number,
  batches: readonly Batch[],
  cache: KeyCache,
  learned: ResolvedKeys,
): Promise<KeysOfNames[]> {
  const keys = batches.map(() => new Map<Dimension, Int32Array>());
  const dimensions = [...new Set(batches.flatMap(({ names }) => [...names.keys()]))];
  dimensions.sort((a, b) => (a.table < b.table ? -1 : 1));
  for (const dimension of dimensions) {
    const names = batches.flatMap((batch) => batch.names.get(dimension) ?? []);
    const resolved = await resolveKeys(db, orgKey, dimension, names, cache, learned);
    let start = 0;
    for (const [index, batch] of batches.entries()) {
      const end = start + (batch.names.get(dimension)?.length ?? 0);
      keys[index]?.set(dimension, resolved.subarray(start, end));
      start = end;
    }
  }
  return keys;
}

/** The keys of names, per reference of a table. */
export function keysOf(table: TableDefinition, keys: KeysOfNames): Int32Array[] {
  return referencesOf(table).map(({ dimension }) => keys.get(dimension) ?? new Int32Array());
}

/** Finds the keys of single names of a batch. What it returns throws `TypeError` for a name that the batch lacks. */
export function keyFinder({ names }: Batch, keys: KeysOfNames) {
  const numbers = new Map<Dimension, Map<string, number>>();
  return (dimension: Dimension, naturalKey: string): number => {
    const known = numbers.get(dimension);
    const ofDimension =
      known ?? new Map(names.get(dimension)?.map((name, number) => [name, number] as const));
    if (known === undefined) numbers.set(dimension, ofDimension);
    const key = keys.get(dimension)?.[ofDimension.get(naturalKey) ?? -1];
    if (key === undefined)
      throw new TypeError(`${dimension.table}: no key was resolved for ${JSON.stringify(naturalKey)}`);
    return key;
  };
}
