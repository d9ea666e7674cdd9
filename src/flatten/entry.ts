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
  let places: readonly number[] = [];
  return (entry) => {
    const names = Object.keys(entry);
    if (!isSame(names, order)) {
      order = names;
      places = fields.map((field) => names.indexOf(field));
    }
    const given = Object.values(entry);
    const values = new Array<unknown>(places.length);
    for (let index = 0; index < places.length; index++) values[index] = given[places[index] ?? -1];
    return values;
  };
}

function isSame(names: readonly string[], order: readonly string[]): boolean {
  if (names.length !== order.length) return false;
  for (let index = 0; index < names.length; index++) if (names[index] !== order[index]) return false;
  return true;
}
