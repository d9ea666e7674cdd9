/**
 * What an answer says of the page after it (platform-api.md §4.2 rule 3, §4.4), read with doubt: what lies behind a page
 * that is never asked for is lost, and nobody sees that.
 */
import type { Drift } from './drift.ts';
import { describe } from './fields.ts';

/** What an answer says of the page after it. */
export interface Following {
  /** Cursor of that page; undefined where none is named, and where there are no cursors. */
  readonly cursor?: string | undefined;
  /** Where it says in so many words that nothing follows, such as `meta.has_more`. It may name a cursor all the same. */
  readonly calledLastBy?: string | undefined;
  /** Why nobody can ask for that page, although there may be one. */
  readonly lostAfter?: string | undefined;
  readonly drift?: readonly Drift[];
}

/** Where an answer says it: `field` has `more`, whether there is such a page, and `next`, its cursor. */
export interface PagingFields {
  readonly field: string;
  readonly more: string;
  readonly next: string;
  /** Whether every answer must say one of the two; else one that says neither is the last. */
  readonly isRequired: boolean;
}

/** Values of the wrong type that mean one thing only. */
const flags = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
]);

/**
 * Reads it. A cursor is enough to go on from, whatever is said beside it. Whoever says that there is more, or says it in a
 * way that cannot be understood, must name one. What is missing or of the wrong type is drift.
 */
export function followingOf(
  said: Readonly<Record<string, unknown>>,
  { field, more, next, isRequired }: PagingFields,
): Following {
  const [flag, named] = [said[more], said[next]];
  const saysMore = flags.get(flag);
  const cursor = typeof named === 'string' && named !== '' ? named : undefined;
  const saysNothing = isNothing(flag) && isNothing(named);
  const isLost = cursor === undefined && saysMore !== false && (!saysNothing || isRequired);
  const drift: Drift[] = [];
  if (typeof flag !== 'boolean' && (!saysNothing || isRequired))
    drift.push(missing(`${field}.${more}`, flag));
  if (cursor === undefined && (isLost || !isNothing(named))) drift.push(missing(`${field}.${next}`, named));
  return {
    cursor,
    calledLastBy: saysMore === false ? `${field}.${more}` : undefined,
    lostAfter: isLost
      ? `expected the cursor of the next page as text in ${next}, or ${more} false, got ${next} ${describe(named)}, ${more} ${describe(flag)}`
      : undefined,
    drift,
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A value of the wrong type counts as missing, as everywhere. */
function missing(path: string, value: unknown): Drift {
  return {
    path,
    kind: 'missing_field',
    example: () => (value === undefined ? 'absent' : describe(value)),
  };
}
