/** Pages with cursors. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Answer, Request } from '../../model/partitioning.ts';

/**
 * The request for the next page: the same one with the cursor of `answer`. Follows a cursor even when the answer says
 * that it is the last: that costs one request, and loses no records. Throws `UnexpectedAnswerError` when a next page
 * has no cursor, and when a cursor comes twice; after an answer that says it is the last, such a cursor ends the
 * paging.
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
