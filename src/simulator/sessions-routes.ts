/** The operations on session messages: list and read (platform-api.md §4.4). */
import { z } from 'zod';
import { noBody } from '../model/platform/call.ts';
import { type Message, message, messagePage, roleFilter } from '../model/platform/session-messages.ts';
import { accessToOthers, refusalsOfOthers } from './access.ts';
import { answer } from './answer.ts';
import type { OpenPoints } from './open-points.ts';
import { type Operation, operation } from './operation.ts';
import { pageSize } from './page-size.ts';
import { found, itemsAfter, type Service } from './service.ts';

const path = '/api/v0/sessions/{sessionId}/messages';
const sessionPath = z.object({
  sessionId: z.string().meta({ format: 'session-id', examples: ['session_000000001'] }),
});
const computerQuery = z.object({ computerId: z.string().meta({ format: 'computer-id' }).optional() });
const listQuery = computerQuery.extend({
  limit: pageSize,
  cursor: z.string().optional(),
  role: roleFilter.optional(),
});

export function sessionsOperations(service: Service): Operation[] {
  const { points, sessions, computers } = service;
  const access = accessToOthers(service);
  const badRequest = points['bad-request'];
  const common = {
    section: '§4.4',
    method: 'GET',
    body: noBody,
    badRequest,
    refusals: [...refusalsOfOthers(points, badRequest), 404],
    refusesUnknown: points['unknown-names'] === 'refuse',
    isAnalytics: false,
  } as const;

  /** All messages of a session in the order of the list. Throws a `Problem` 404 for an unknown session or computer. */
  function messagesOf(sessionId: string, computerId: string | undefined): readonly Message[] {
    if (computerId !== undefined) found(computers.find(computerId), `computer ${computerId}`);
    return ordered(found(sessions.messages(sessionId), `session ${sessionId}`), points['messages-order']);
  }

  return [
    operation(
      {
        ...common,
        id: 'list-messages',
        summary: 'Lists the messages of a session',
        path,
        pathParameters: sessionPath,
        query: listQuery,
        success: { name: 'MessagePage', schema: messagePage, status: 200 },
        links: linksOfPage,
      },
      access,
      ({ path: { sessionId }, query: { limit, cursor, role, computerId } }) => {
        const all = messagesOf(sessionId, computerId);
        const placeOf = (start: string) => all.findIndex(({ id }) => cursorAt(id) === start);
        const rest = itemsAfter(all, cursor, placeOf, service, badRequest);
        const wanted = rest.filter((one) => role === undefined || one.role === role);
        const page = wanted.slice(0, limit);
        const hasMore = wanted.length > page.length;
        const last = page.at(-1);
        const there = last === undefined ? cursor : cursorAt(last.id);
        const atEnd = { absent: undefined, empty: '', repeated: there }[points['last-cursor']];
        return answer(200, {
          messages: page.map((one) => listed(one, points)),
          pagination: { hasMore, nextCursor: hasMore ? there : atEnd },
        });
      },
    ),
    operation(
      {
        ...common,
        id: 'read-message',
        summary: 'Reads one message of a session',
        path: `${path}/{messageId}`,
        pathParameters: sessionPath.extend({ messageId: z.string() }),
        query: computerQuery,
        success: { name: 'Message', schema: message, status: 200 },
      },
      access,
      ({ path: { sessionId, messageId }, query: { computerId } }) => {
        const all = messagesOf(sessionId, computerId);
        return answer(
          200,
          found(
            all.find(({ id }) => id === messageId),
            `message ${messageId} in session ${sessionId}`,
          ),
        );
      },
    ),
  ];
}

const sameSession = { sessionId: '$request.path.sessionId' };
const linksOfPage = {
  nextPage: {
    operationId: 'list-messages',
    parameters: { ...sameSession, cursor: '$response.body#/pagination/nextCursor' },
  },
  first: {
    operationId: 'read-message',
    parameters: { ...sameSession, messageId: '$response.body#/messages/0/id' },
  },
};

/** The cursor after a message. It is encoded, so that a client cannot compute one. */
function cursorAt(messageId: string): string {
  return Buffer.from(messageId).toString('base64url');
}

function listed({ role, ...rest }: Message, points: OpenPoints): object {
  return points['listed-role'] === 'present' ? { ...rest, role } : rest;
}

/** The messages in the chosen order; for `mixed` they are sorted by their ids, which are random. */
function ordered(messages: readonly Message[], order: OpenPoints['messages-order']): readonly Message[] {
  if (order === 'oldest') return messages;
  if (order === 'newest') return messages.toReversed();
  return messages.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
