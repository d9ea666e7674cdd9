/** Pages that are followed by cursors. */
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Answer, Request } from '../../model/partitioning.ts';

/**
 * The request for the page after `answer`: the same with its cursor. Throws `UnexpectedAnswerError` when a cursor comes
 * back a second time.
 */
export function nextPage({ request, cursor }: Answer, seen: Set<string>): Request | undefined {
  if (cursor === undefined) return undefined;
  if (seen.has(cursor))
    throw new UnexpectedAnswerError(
      `paging would never end: an answer says has_more, but names the cursor ${JSON.stringify(cursor)} a second time`,
    );
  seen.add(cursor);
  return { ...request, query: { ...request.query, cursor } };
}
