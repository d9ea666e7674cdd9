/** Entries of a payload: the record itself, or one of a breakdown. */
import { isPlainObject } from '../model/fields.ts';

/** A parsed JSON object. */
export type Entry = Readonly<Record<string, unknown>>;

/** An entry that is no object, although its place in the payload can be read. */
export class UnreadableEntry {
  /** What can be read of it, such as its key in a map. */
  readonly readable: Entry;
  readonly payload: unknown;

  constructor(readable: Entry, payload: unknown) {
    this.readable = readable;
    this.payload = payload;
  }
}

/** Whether something is an entry whose fields can be read. */
export const isEntry: (value: unknown) => value is Entry = isPlainObject;

/**
 * A function that reads fields. Most entries of a level have the same fields in the same order: their places are looked
 * up once, and again only when an entry has another order.
 */
export function readerOf(fields: readonly string[]): (entry: Entry) => unknown[] {
  let order: readonly string[] = [];
  /** For each name of `order`, its place among the fields; -1 for one that nobody asks for. */
  let places: readonly number[] = [];
  const readAnew = (entry: Entry): unknown[] => {
    order = Object.keys(entry);
    places = order.map((name) => fields.indexOf(name));
    return fields.map((field) => (Object.hasOwn(entry, field) ? entry[field] : undefined));
  };
  return (entry) => {
    const values = new Array<unknown>(fields.length);
    let index = 0;
    // Without a list of names or values: the loop goes through the fields as the object holds them.
    for (const name in entry) {
      if (name !== order[index]) return readAnew(entry);
      const place = places[index] ?? -1;
      if (place >= 0) values[place] = entry[name];
      index += 1;
    }
    return index === order.length ? values : readAnew(entry);
  };
}
