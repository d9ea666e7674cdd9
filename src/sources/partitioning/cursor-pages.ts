/** Paging by cursors. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Answer, Request } from '../../model/partitioning.ts';

/**
 * The request for the next page: the request of `answer` with its cursor; undefined after the last page. Follows a cursor
 * even when the answer says that it is the last: that costs one request, and loses no records. Throws
 * `UnexpectedAnswerError` when a next page has no cursor, and when a cursor comes a second time; if that answer says
 * that it is the last, paging ends instead.
 */
export function nextPage(answer: Answer, seen: Set<string>): Request | undefined {
  const { request, cursor, lastPageField, pagingProblem } = answer;
  if (pagingProblem !== undefined && lastPageField === undefined)
    throw new UnexpectedAnswerError(pagingProblem);
  if (cursor === undefined) return undefined;
  if (seen.has(cursor)) {
    if (lastPageField !== undefined) return undefined;
    throw new UnexpectedAnswerError(
      `paging would never end: an answer names the cursor ${JSON.stringify(cursor)} a second time`,
    );
  }
  seen.add(cursor);
  return { ...request, query: { ...request.query, cursor } };
}
