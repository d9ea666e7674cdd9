/** Values that a column makes of others. Each is a `Derive`: it takes what the column's fields hold, in their order. */
import { type Derive, partSeparator } from './table.ts';

/** The place of an entry in its list, from 0. */
export const position: Derive = (_values, { index }) => index;

/** How many entries a list has; null where there is none. */
export const listLength: Derive = ([list]) => {
  if (!isIterable(list)) return null;
  let length = 0;
  for (const _ of list) length += 1;
  return length;
};

/** Unicode code points of a text; null where there is none. */
export const codePoints: Derive = ([text]) => (typeof text === 'string' ? countCodePoints(text) : null);

/** Unicode code points of all texts in one field of a list's entries; null where there is no list. */
export function codePointsOfAll(field: string): Derive {
  return ([list]) => {
    if (!isIterable(list)) return null;
    let sum = 0;
    for (const entry of list) {
      const text: unknown = typeof entry === 'object' && entry !== null ? Reflect.get(entry, field) : null;
      if (typeof text === 'string') sum += countCodePoints(text);
    }
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

function countCodePoints(text: string): number {
  let count = text.length;
  for (let index = 0; index + 1 < text.length; index++) {
    const [unit, next] = [text.charCodeAt(index), text.charCodeAt(index + 1)];
    if (unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000) {
      count -= 1;
      index += 1;
    }
  }
  return count;
}
