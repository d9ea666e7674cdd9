/** Identifies natural keys: a short one by itself, a long one by its digest. */
import { hash } from 'node:crypto';
import { partSeparator } from '../../model/table.ts';

/** A name of so many characters or more is identified by its digest, which has this length. */
const digestLength = 64;
/** A name of so many bytes has at least `digestLength` characters, because a character has at most 4 bytes. */
export const bytesOfLongName = 4 * digestLength;

/** The elements that Postgres quotes in the text of an array. */
const quoted = /^$|^null$|[ \t\n\v\f\r"\\{},]/i;

/**
 * The identity of a natural key: the key itself, or its digest if the key is long, so that a key takes little memory. A
 * digest is longer than any key that stands for itself, so the two cannot be confused.
 */
export function identityOf(naturalKey: string): string {
  return naturalKey.length < digestLength ? naturalKey : digestOf(naturalKey);
}

/**
 * The digest of a natural key in hexadecimal, as `warehouse.natural_key_digest` computes it for the unique index: the
 * SHA-256 of an array of the parts as Postgres writes it. It is computed here, so that a look-up need not send the name.
 */
export function digestOf(naturalKey: string): string {
  const elements = naturalKey
    .split(partSeparator)
    .map((part) => (quoted.test(part) ? `"${part.replaceAll(/["\\]/g, '\\$&')}"` : part));
  return hash('sha256', `{${elements.join(',')}}`, 'hex');
}
