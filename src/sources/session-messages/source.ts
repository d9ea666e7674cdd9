import { z } from 'zod';
import { pageInfoOf } from '../../model/paging.ts';
import { messagesPaging, messagesPath } from '../../model/platform/session-messages.ts';
import type { Source } from '../../model/source.ts';
import { childrenOfParents } from '../partitioning/children-of-parents.ts';
import { versions } from '../versions.generated.ts';
import { sessionMessage } from './schema.ts';
import { factSessionMessage } from './tables.ts';

const pagination = z.looseObject({}).transform((said) => pageInfoOf(said, messagesPaging));

/**
 * The messages of an agent session (platform-api.md §4.4). The user names the sessions: the platform does not list
 * them.
 */
export const sessionMessages: Source = {
  name: 'session-messages',
  envelope: { records: 'messages', meta: { field: messagesPaging.field, schema: pagination } },
  partitioning: childrenOfParents('session_id', messagesPath),
  duplicates: 'last',
  schema: sessionMessage,
  root: factSessionMessage,
  hasPrivateTexts: true,
  version: versions['session-messages'],
};
