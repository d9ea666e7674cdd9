/** Values that a column makes of others. Each is a `Derive`: it takes what the column's fields hold, in their order. */
import { storableText } from './json.ts';
import { type Derive, partSeparator } from './table.ts';
import { countCodePoints } from './text-length.ts';

/** The place of an entry in its list, from 0. */
export const position: Derive = (_values, { index }) => index;

/** How many entries a list has; null where there is none. */
export const listLength: Derive = ([list]) => {
  if (!isIterable(list)) return null;
  let length = 0;
  for (const _ of list) length += 1;
  return length;
};

/** Unicode code points of a text, which is a number where it was withheld; null where there is none. */
export const codePoints: Derive = ([text]) => lengthOf(text);

/** A text; null where it was withheld, or where there is none. */
export const textIfKept: Derive = ([text]) => (typeof text === 'string' ? text : null);

/** All texts in one field of a list's entries, a line break between them; null where all were withheld, or there is none. */
export function textsIfKept(field: string): Derive {
  return ([list]) => {
    if (!isIterable(list)) return null;
    const texts: string[] = [];
    for (const entry of list) {
      const text = fieldOf(entry, field);
      if (typeof text === 'string') texts.push(text);
    }
    // Entries of a large list were not looked through for what Postgres cannot hold.
    return texts.length === 0 ? null : storableText(texts.join('\n'));
  };
}

/** Unicode code points of all texts in one field of a list's entries; null where there is no list. */
export function codePointsOfAll(field: string): Derive {
  return ([list]) => {
    if (!isIterable(list)) return null;
    let sum = 0;
    for (const entry of list) sum += lengthOf(fieldOf(entry, field)) ?? 0;
    return sum;
  };
}

/** The value of a field of the entry that the list belongs to; null where it has none. */
export function inherited(field: string): Derive {
  return (_values, { above }) => above?.[field] ?? null;
}

/** A natural key of the one field and of parts that are always the same; null where the field has no text. */
export function withParts(...parts: readonly string[]): Derive {
  return ([text]) => (typeof text === 'string' ? [text, ...parts].join(partSeparator) : null);
}

function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

function fieldOf(entry: unknown, field: string): unknown {
  return typeof entry === 'object' && entry !== null ? Reflect.get(entry, field) : undefined;
}

function lengthOf(text: unknown): number | null {
  if (typeof text === 'number') return text;
  return typeof text === 'string' ? countCodePoints(text) : null;
}
