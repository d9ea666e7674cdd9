/** Reads the current messages of a session from the platform for display; nothing is stored. */
import { z } from 'zod';
import { UnexpectedAnswerError } from '../model/errors.ts';
import { pageInfoOf } from '../model/paging.ts';
import { messagesPaging, messagesPath } from '../model/platform/session-messages.ts';
import { openedAs } from './json-answer.ts';
import type { PlatformClient } from './platform-client.ts';

/** A message with all its fields. */
export type LiveMessage = Readonly<Record<string, unknown>>;

const anyMessage = z.record(z.string(), z.unknown());
const openOne = openedAs(anyMessage);
const openPage = openedAs(
  z.object({
    messages: z.array(anyMessage),
    pagination: z.looseObject({}).transform((said) => pageInfoOf(said, messagesPaging)),
  }),
);

/** Most empty pages in a row, and most pages of a session. */
const [mostEmptyPages, mostPages] = [100, 10_000];

/**
 * All messages of a session, page by page, in the platform's order. Stops after the answer that says it is the last.
 * Throws what `PlatformClient.get` throws, and `UnexpectedAnswerError` for an invalid answer, for a next page without a
 * cursor, and for endless paging.
 */
export async function* liveMessages(
  client: Pick<PlatformClient, 'get'>,
  sessionId: string,
  pageSize: number,
): AsyncGenerator<LiveMessage> {
  const seen = new Set<string>();
  let query: Record<string, string> = { limit: String(pageSize) };
  for (let [empty, pages] = [0, 1]; ; pages += 1) {
    const { messages, pagination } = await client.get(messagesPath(sessionId), query, openPage);
    yield* messages;
    const { cursor, pagingProblem, lastPageField } = pagination;
    if (pagingProblem !== undefined) throw new UnexpectedAnswerError(pagingProblem);
    if (cursor === undefined || lastPageField !== undefined) return;
    empty = messages.length === 0 ? empty + 1 : 0;
    if (seen.has(cursor) || empty > mostEmptyPages || pages >= mostPages)
      throw new UnexpectedAnswerError(
        `paging would never end: a cursor came twice, or more than ${mostEmptyPages} pages in a row were empty, or there were ` +
          `more than ${mostPages} pages`,
      );
    seen.add(cursor);
    query = { ...query, cursor };
  }
}

/** One message of a session. Throws what `PlatformClient.get` throws, and `UnexpectedAnswerError` for an invalid answer. */
export function liveMessage(
  client: Pick<PlatformClient, 'get'>,
  sessionId: string,
  messageId: string,
): Promise<LiveMessage> {
  return client.get(`${messagesPath(sessionId)}/${encodeURIComponent(messageId)}`, {}, openOne);
}
