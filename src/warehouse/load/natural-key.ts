/** How a natural key is told from others: by itself while it is short, by its digest however long it is. */
import { hash } from 'node:crypto';
import { partSeparator } from '../../model/table.ts';

/** A name of so many characters or more is known by its digest, which has just as many. */
const digestLength = 64;
/** A name of so many bytes has `digestLength` characters or more, whatever the characters are. */
export const bytesOfLongName = 4 * digestLength;

/** What Postgres puts into quotes in the text of an array. */
const quoted = /^$|^null$|[ \t\n\v\f\r"\\{},]/i;

/**
 * What a natural key is remembered by: the key itself, or its digest where it is long. So what is remembered takes the
 * same room, whatever the names are. A digest is longer than every key that stands for itself: the two never meet.
 */
export function identityOf(naturalKey: string): string {
  return naturalKey.length < digestLength ? naturalKey : digestOf(naturalKey);
}

/**
 * The digest that uniqueness rests on, in hexadecimal: what `warehouse.natural_key_digest` makes of the parts, which is
 * the SHA-256 of the text of an array of them. Computed here, so that a name that is looked up need not be sent.
 */
export function digestOf(naturalKey: string): string {
  const elements = naturalKey
    .split(partSeparator)
    .map((part) => (quoted.test(part) ? `"${part.replaceAll(/["\\]/g, '\\$&')}"` : part));
  return hash('sha256', `{${elements.join(',')}}`, 'hex');
}
