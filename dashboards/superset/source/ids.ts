/** Stable ids, so that an import replaces the assets of an earlier one. */
import { createHash } from 'node:crypto';

/** A UUID from a kind and a name (version 8). */
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
