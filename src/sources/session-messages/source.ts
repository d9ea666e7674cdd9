import { z } from 'zod';
import { messagesPath } from '../../model/platform/session-messages.ts';
import type { Source } from '../../model/source.ts';
import { childrenOfParents } from '../partitioning/children-of-parents.ts';
import { versions } from '../versions.generated.ts';
import { sessionMessage } from './schema.ts';
import { factSessionMessage } from './tables.ts';

const pagination = z
  .object({ hasMore: z.boolean(), nextCursor: z.string().nullish() })
  .refine(({ hasMore, nextCursor }) => !hasMore || (nextCursor ?? '') !== '', {
    error: 'the answer says hasMore, but names no nextCursor',
  })
  // Whether the last page names a next cursor is not documented.
  .transform(({ hasMore, nextCursor }) => ({ cursor: hasMore ? (nextCursor ?? undefined) : undefined }));

/** The messages of an agent session (platform-api.md §4.4). Somebody names the sessions: there is no list of them. */
export const sessionMessages: Source = {
  name: 'session-messages',
  envelope: { records: 'messages', meta: { field: 'pagination', schema: pagination } },
  partitioning: childrenOfParents('session_id', messagesPath),
  duplicates: 'last',
  schema: sessionMessage,
  root: factSessionMessage,
  hasPrivateTexts: true,
  version: versions['session-messages'],
};
