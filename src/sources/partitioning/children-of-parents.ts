/** Children of parents that the user names, such as messages of sessions: a slice is all children of one parent. */
import type { Partitioning } from '../../model/partitioning.ts';
import { nextPage } from './cursor-pages.ts';

/** Partitioning by parents. The column `scopeColumn` holds the parent's id; `pathOf` returns the path of its children. */
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

/** Longest key in the ledger, in bytes. */
const mostBytes = 2_000;

/** Whether a text can be an encoded segment of a path. */
function isPathSegment(text: string): boolean {
  if (['', '.', '..'].includes(text) || !text.isWellFormed()) return false;
  return !/[\u0000-\u001f\u007f]/.test(text) && Buffer.byteLength(text) <= mostBytes;
}
