/** What belongs to parents that somebody else names: a slice is a parent, and has all its children. */
import type { Partitioning } from '../../model/partitioning.ts';
import { nextPage } from './cursor-pages.ts';

/** Partitioning by parents. `scopeColumn` holds the parent's id, `pathOf` is where its children are asked for. */
export function childrenOfParents(scopeColumn: string, pathOf: (parent: string) => string): Partitioning {
  return {
    kind: 'other',
    scope: { [scopeColumn]: 'slice_key' },
    dayOf: () => null,
    isNamed: true,
    isKey: isPathSegment,
    withoutRecords: 'believed',
    lanes: 'several',
    plan: ({ named }) => named.map((parent) => [parent]),
    first: ([parent = ''], pageSize) => ({ path: pathOf(parent), query: { limit: String(pageSize) } }),
    next: nextPage,
  };
}

/** What a ledger's key can hold, in bytes. */
const mostBytes = 2_000;

/** Whether a text can stand in a path, encoded, and mean itself there. */
function isPathSegment(text: string): boolean {
  if (['', '.', '..'].includes(text) || !text.isWellFormed()) return false;
  return !/[\u0000-\u001f\u007f]/.test(text) && Buffer.byteLength(text) <= mostBytes;
}
