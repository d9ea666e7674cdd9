/** Ids that stay the same from one making to the next, so that an import replaces what it brought before. */
import { createHash } from 'node:crypto';

/** A UUID for something by its kind and name, of the kind that is made from names (version 8). */
export function uuidOf(kind: string, name: string): string {
  const hex = createHash('sha256').update(`usage-etl:${kind}:${name}`).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
