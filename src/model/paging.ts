/**
 * Reads what an answer says about the next page (platform-api.md §4.2 rule 3, §4.4). It must be read with care: records
 * of a page that is never requested are lost without notice.
 */

import { describe } from './describe-value.ts';
import type { Drift } from './drift.ts';

/** What an answer says about the next page. */
export interface PageInfo {
  /** Cursor of the next page; undefined when the answer names none. */
  readonly cursor?: string | undefined;
  /** The field that says that no page follows, such as `meta.has_more`. The answer may name a cursor nevertheless. */
  readonly lastPageField?: string | undefined;
  /** Why the next page cannot be requested, although there may be one. */
  readonly pagingProblem?: string | undefined;
  readonly drift?: readonly Drift[];
}

/** The fields of paging: the object `field` has `more` (is there a next page?) and `next` (its cursor). */
export interface PagingFields {
  readonly field: string;
  readonly more: string;
  readonly next: string;
  /** Whether every answer must have `more` or `next`. If not, an answer without both is the last. */
  readonly isRequired: boolean;
}

/** Accepted values of `more`, with their meaning. Those that are no booleans have the wrong type, but are clear. */
const flags = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  ['true', true],
  ['false', false],
  [1, true],
  [0, false],
]);

/**
 * Reads the paging fields. A cursor always leads to the next page, whatever `more` says. When `more` is true or unclear
 * there must be a cursor. A missing field or one of the wrong type is drift.
 */
export function pageInfoOf(
  said: Readonly<Record<string, unknown>>,
  { field, more, next, isRequired }: PagingFields,
): PageInfo {
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
    lastPageField: saysMore === false ? `${field}.${more}` : undefined,
    pagingProblem: isLost
      ? `expected the cursor of the next page as text in ${next}, or ${more} false, got ${next} ${describe(named)}, ${more} ${describe(flag)}`
      : undefined,
    drift,
  };
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** The drift of a field that is missing, or has a value of the wrong type. */
function missing(path: string, value: unknown): Drift {
  return {
    path,
    kind: 'missing_field',
    example: () => (value === undefined ? 'absent' : describe(value)),
  };
}
