/** Surrogate keys for comparisons: they are only looked up, never created. */
import type { Dimension } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import type { DimensionKeys } from './dimension-keys.ts';
import { lookUpKeys } from './dimension-rows.ts';

/** Natural keys per statement. */
const keysPerStatement = 10_000;
/** The key that the first name without a row gets; later names get smaller keys. No sequence reaches these numbers. */
const firstUnknownKey = 2 ** 31 - 1;

/** Keys of one slice, from one snapshot. */
export interface KnownKeys extends DimensionKeys {
  /** The name that got `key` because it has no row; undefined for the key of a row. */
  unknownName(dimension: Dimension, key: number): string | undefined;
}

/**
 * Looks up keys in the dimensions. A name without a row gets a key that no row has. `otherName` returns another form in
 * which a row may store the name.
 */
export function openKnownKeys(
  db: Database,
  orgKey: number,
  otherName: (naturalKey: string) => string,
): KnownKeys {
  const unknown = new Map<Dimension, Map<string, number>>();

  async function lookUp(dimension: Dimension, names: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    for (let start = 0; start < names.length; start += keysPerStatement) {
      const part = names.slice(start, start + keysPerStatement);
      await lookUpKeys(db, orgKey, dimension, part, (index, key) => found.set(part[index] ?? '', key));
    }
    return found;
  }

  async function find(dimension: Dimension, names: readonly string[]): Promise<Map<string, number>> {
    const found = await lookUp(dimension, names);
    const others = names.filter((name) => !found.has(name) && otherName(name) !== name);
    const ofOthers = others.length === 0 ? undefined : await lookUp(dimension, others.map(otherName));
    for (const name of others) {
      const key = ofOthers?.get(otherName(name));
      if (key !== undefined) found.set(name, key);
    }
    return found;
  }

  function unknownKey(dimension: Dimension, name: string): number {
    const ofDimension = unknown.get(dimension) ?? new Map<string, number>();
    unknown.set(dimension, ofDimension);
    const key = ofDimension.get(name) ?? firstUnknownKey - ofDimension.size;
    ofDimension.set(name, key);
    return key;
  }

  return {
    async resolve(_endpoint, slices) {
      const resolved = [];
      for (const { names } of slices) {
        const keys = new Map<Dimension, Int32Array>();
        for (const [dimension, ofSlice] of names) {
          const found = await find(dimension, ofSlice);
          keys.set(
            dimension,
            Int32Array.from(ofSlice, (name) => found.get(name) ?? unknownKey(dimension, name)),
          );
        }
        resolved.push(keys);
      }
      return resolved;
    },
    find,
    unknownName(dimension, key) {
      if (key <= firstUnknownKey - (unknown.get(dimension)?.size ?? 0)) return undefined;
      return [...(unknown.get(dimension) ?? [])].find(([, unknownAs]) => unknownAs === key)?.[0];
    },
  };
}
