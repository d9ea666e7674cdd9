/** Messages of a session as the platform tells them now, for who wants to look at them: nothing is stored. */
import { z } from 'zod';
import { UnexpectedAnswerError } from '../model/errors.ts';
import { followingOf } from '../model/paging.ts';
import { messagesPaging, messagesPath } from '../model/platform/session-messages.ts';
import { openedAs } from './json-answer.ts';
import type { PlatformClient } from './platform-client.ts';

/** A message with whatever the platform says of it. */
export type LiveMessage = Readonly<Record<string, unknown>>;

const anyMessage = z.record(z.string(), z.unknown());
const openOne = openedAs(anyMessage);
const openPage = openedAs(
  z.object({
    messages: z.array(anyMessage),
    pagination: z.looseObject({}).transform((said) => followingOf(said, messagesPaging)),
  }),
);

/** Pages in a row without messages, and all pages of a session. */
const [mostEmptyPages, mostPages] = [100, 10_000];

/**
 * All messages of a session, page by page, in the platform's order. Throws what `PlatformClient.get` throws, and
 * `UnexpectedAnswerError` for another answer, where more may follow and nobody knows where, or where paging would never
 * end. Whoever looks sees all that comes: an answer that says that nothing follows is the last one here.
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
    const { cursor, lostAfter, calledLastBy } = pagination;
    if (lostAfter !== undefined) throw new UnexpectedAnswerError(lostAfter);
    if (cursor === undefined || calledLastBy !== undefined) return;
    empty = messages.length === 0 ? empty + 1 : 0;
    if (seen.has(cursor) || empty > mostEmptyPages || pages >= mostPages)
      throw new UnexpectedAnswerError(
        'paging would never end: an answer names a cursor that was used before, or is one of many without messages, or of ' +
          `more than ${mostPages}`,
      );
    seen.add(cursor);
    query = { ...query, cursor };
  }
}

/** One message of a session. Throws the same. */
export function liveMessage(
  client: Pick<PlatformClient, 'get'>,
  sessionId: string,
  messageId: string,
): Promise<LiveMessage> {
  return client.get(`${messagesPath(sessionId)}/${encodeURIComponent(messageId)}`, {}, openOne);
}
