/** Messages of a session as the platform tells them now, for who wants to look at them: nothing is stored. */
import { z } from 'zod';
import { UnexpectedAnswerError } from '../model/errors.ts';
import { messagesPath } from '../model/platform/session-messages.ts';
import { openedAs } from './json-answer.ts';
import type { PlatformClient } from './platform-client.ts';

/** A message with whatever the platform says of it. */
export type LiveMessage = Readonly<Record<string, unknown>>;

const anyMessage = z.record(z.string(), z.unknown());
const openOne = openedAs(anyMessage);
const openPage = openedAs(
  z.object({
    messages: z.array(anyMessage),
    pagination: z.object({ hasMore: z.boolean(), nextCursor: z.string().nullish() }),
  }),
);

/**
 * All messages of a session, page by page, in the platform's order. Throws what `PlatformClient.get` throws, and
 * `UnexpectedAnswerError` for another answer, or where paging would never end.
 */
export async function* liveMessages(
  client: Pick<PlatformClient, 'get'>,
  sessionId: string,
  pageSize: number,
): AsyncGenerator<LiveMessage> {
  const seen = new Set<string>();
  let query: Record<string, string> = { limit: String(pageSize) };
  for (;;) {
    const { messages, pagination } = await client.get(messagesPath(sessionId), query, openPage);
    yield* messages;
    if (!pagination.hasMore) return;
    const cursor = pagination.nextCursor ?? '';
    if (cursor === '' || seen.has(cursor))
      throw new UnexpectedAnswerError(
        'paging would never end: an answer says hasMore, but names no cursor, or one that was used before',
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
