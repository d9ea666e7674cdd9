/** Derivations: a `Derive` gets the values of a column's fields, in order, and returns the value of the column. */
import { storableText } from './json.ts';
import { type Derive, partSeparator } from './table.ts';
import { countCodePoints } from './text-length.ts';

/** The index of an entry in its list, from 0. */
export const position: Derive = (_values, { index }) => index;

/** Number of entries in a list; null without a list. */
export const listLength: Derive = ([list]) => {
  if (!isIterable(list)) return null;
  let length = 0;
  for (const _ of list) length += 1;
  return length;
};

/** Number of Unicode code points in a text; a withheld text comes as this number. Null without a text. */
export const codePoints: Derive = ([text]) => lengthOf(text);

/** The text; null when it is withheld or absent. */
export const textIfKept: Derive = ([text]) => (typeof text === 'string' ? text : null);

/** The texts that all entries have in `field`, joined by line breaks; null when there are none or all are withheld. */
export function textsIfKept(field: string): Derive {
  return ([list]) => {
    if (!isIterable(list)) return null;
    const texts: string[] = [];
    for (const entry of list) {
      const text = fieldOf(entry, field);
      if (typeof text === 'string') texts.push(text);
    }
    // Entries of a large list have not been checked for characters that Postgres cannot hold.
    return texts.length === 0 ? null : storableText(texts.join('\n'));
  };
}

/** Number of Unicode code points that all entries have in `field`, summed; null without a list. */
export function codePointsOfAll(field: string): Derive {
  return ([list]) => {
    if (!isIterable(list)) return null;
    let sum = 0;
    for (const entry of list) sum += lengthOf(fieldOf(entry, field)) ?? 0;
    return sum;
  };
}

/** The value of a field of the parent entry; null when it has none. */
export function inherited(field: string): Derive {
  return (_values, { above }) => above?.[field] ?? null;
}

/** Returns a derivation that makes a natural key from one field and the constant `parts`; null without a text. */
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
