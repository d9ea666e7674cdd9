import { type LiveMessage, liveMessage, liveMessages } from '../../src/extract/live-messages.ts';
import { createPlatformClient } from '../../src/extract/platform-client.ts';
import { ConfigurationError } from '../../src/model/errors.ts';
import { type Sanitizer, sanitizeTexts } from '../../src/model/sanitize.ts';
import { userAgent } from '../../src/model/version.ts';
import { describeMessage, mostOfText } from '../../src/reporting/messages-text.ts';
import type { Job, JobContext } from '../job.ts';
import { refuseOtherIds } from './session-ids.ts';

/** Prints messages as the platform tells them now. Opens no database. */
export const job: Job = {
  name: 'show',
  description: 'prints the messages of a session, or one of them, from the platform; stores nothing',
  example: 'sessions show session_000000001',
  needsPlatform: true,
  options: (command) =>
    command.argument('<id>', 'id of the session').argument('[message-id]', 'id of one of its messages'),
  prepare({ arguments: given, problems }) {
    refuseOtherIds(given, problems);
    const [session = '', message] = given;
    return async (context) => {
      const messages = await messagesOf(context, session, message);
      const { redact } = context;
      const longer: Sanitizer = Object.assign((text: string) => redact(text, mostOfText), redact);
      return {
        json: sanitizeTexts({ session_id: session, messages }, longer),
        text: messages.map((each) => describeMessage(each, redact)).join('\n\n') || 'There is no message.',
        // Both have been sanitized, with more room for texts than it leaves to other words.
        verbatim: true,
      };
    };
  },
};

async function messagesOf(
  { config, abort, timing }: JobContext,
  session: string,
  message: string | undefined,
): Promise<readonly LiveMessage[]> {
  if (config.platform === undefined) throw new ConfigurationError(['API_BASE_URL, API_KEY: missing']);
  const client = createPlatformClient({
    ...config,
    ...config.platform,
    userAgent,
    signal: abort.signal,
    timing,
  });
  try {
    if (message !== undefined) return [await liveMessage(client, session, message)];
    const messages: LiveMessage[] = [];
    for await (const each of liveMessages(client, session, config.pageSize)) messages.push(each);
    return messages;
  } finally {
    await client.close();
  }
}
