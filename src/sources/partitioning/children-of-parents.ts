/** What belongs to parents that somebody else names: a slice is a parent, and has all its children. */
import type { Partitioning } from '../../model/partitioning.ts';
import { nextPage } from './cursor-pages.ts';

/** Partitioning by parents. `scopeColumn` holds the parent's id, `pathOf` is where its children are asked for. */
export function childrenOfParents(scopeColumn: string, pathOf: (parent: string) => string): Partitioning {
  return {
    kind: 'other',
    scope: { [scopeColumn]: 'slice_key' },
    dayOf: () => null,
    isKey: (text) => text !== '',
    withoutRecords: 'believed',
    lanes: 'several',
    plan: ({ named }) => named.map((parent) => [parent]),
    first: ([parent = ''], pageSize) => ({ path: pathOf(parent), query: { limit: String(pageSize) } }),
    next: nextPage,
  };
}
