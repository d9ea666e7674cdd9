/** Cursor pagination of `/users` (platform-api.md §4.2): the cursor is a user id. */
import type { Day } from '../model/day.ts';
import { type Dataset, userIdOf } from './dataset.ts';

export interface UsersPage {
  readonly rows: readonly unknown[];
  /** The cursor of the next page; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/**
 * One page of the `/users` rows of some ascending days, sorted by user, then day. The next page begins with the user
 * after the user in the cursor. When a page ends between two days of a user, the user's later days are on no page: the
 * documented cursor cannot express them. So a client that reads a range of days loses rows; one that reads single days
 * does not.
 */
export function usersPage(
  dataset: Dataset,
  days: readonly Day[],
  cursor: string | undefined,
  limit: number,
): UsersPage {
  const rows: unknown[] = [];
  for (const row of byUserThenDay(days.map((day) => dataset.usersAfter(day, cursor)))) {
    if (rows.length === limit) return { rows, nextCursor: userIdOf(rows.at(-1)) };
    rows.push(row);
  }
  return { rows, nextCursor: undefined };
}

/** Merges the sorted rows of several days; each day is read only as far as needed. */
function* byUserThenDay(days: readonly Iterable<unknown>[]): Iterable<unknown> {
  const [only] = days;
  if (only === undefined) return;
  if (days.length === 1) {
    yield* only;
    return;
  }
  const heads = days.map((rows) => headOf(rows[Symbol.iterator]()));
  while (true) {
    let first: Head | undefined;
    for (const head of heads)
      if (!head.done && (first === undefined || head.userId < first.userId)) first = head;
    if (first === undefined) return;
    yield first.row;
    advance(first);
  }
}

interface Head {
  readonly rest: Iterator<unknown>;
  done: boolean;
  row: unknown;
  userId: string;
}

function headOf(rest: Iterator<unknown>): Head {
  const head: Head = { rest, done: false, row: undefined, userId: '' };
  advance(head);
  return head;
}

function advance(head: Head): void {
  const next = head.rest.next();
  head.done = next.done === true;
  head.row = head.done ? undefined : next.value;
  head.userId = userIdOf(head.row);
}
