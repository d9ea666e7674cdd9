/** Pages that are followed by cursors. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Answer, Request } from '../../model/partitioning.ts';

/**
 * The request for the page after `answer`: the same with its cursor. An answer that says that nothing follows, but names a
 * cursor, is followed, too: that costs a request, and loses nothing where it speaks of its own last record only. Throws
 * `UnexpectedAnswerError` where more may follow and nobody knows where, and when a cursor comes back a second time; after
 * an answer that is called the last one, such a cursor is the end.
 */
export function nextPage(answer: Answer, seen: Set<string>): Request | undefined {
  const { request, cursor, calledLastBy, lostAfter } = answer;
  if (lostAfter !== undefined && calledLastBy === undefined) throw new UnexpectedAnswerError(lostAfter);
  if (cursor === undefined) return undefined;
  if (seen.has(cursor)) {
    if (calledLastBy !== undefined) return undefined;
    throw new UnexpectedAnswerError(
      `paging would never end: an answer names the cursor ${JSON.stringify(cursor)} a second time`,
    );
  }
  seen.add(cursor);
  return { ...request, query: { ...request.query, cursor } };
}
