/** Entries of a payload: records and entries of breakdowns. */
import { isPlainObject } from '../model/field-kind.ts';

/** A parsed JSON object. */
export type Entry = Readonly<Record<string, unknown>>;

/** An entry that is no object, although its identity can be read. */
export class UnreadableEntry {
  /** The part of the entry that can be read, such as its key in a map. */
  readonly readable: Entry;
  readonly payload: unknown;

  constructor(readable: Entry, payload: unknown) {
    this.readable = readable;
    this.payload = payload;
  }
}

export const isEntry: (value: unknown) => value is Entry = isPlainObject;

/**
 * Returns a function that reads these fields of an entry. Most entries have the same fields in the same order, so the
 * positions are looked up only when the order changes.
 */
export function readerOf(fields: readonly string[]): (entry: Entry) => unknown[] {
  let order: readonly string[] = [];
  /** For each name in `order` its index in `fields`; -1 if `fields` does not have it. */
  let places: readonly number[] = [];
  const readAnew = (entry: Entry): unknown[] => {
    order = Object.keys(entry);
    places = order.map((name) => fields.indexOf(name));
    return fields.map((field) => (Object.hasOwn(entry, field) ? entry[field] : undefined));
  };
  return (entry) => {
    const values = new Array<unknown>(fields.length);
    let index = 0;
    // A loop over the object makes no list of names or values.
    for (const name in entry) {
      if (name !== order[index]) return readAnew(entry);
      const place = places[index] ?? -1;
      if (place >= 0) values[place] = entry[name];
      index += 1;
    }
    return index === order.length ? values : readAnew(entry);
  };
}
