import { type LiveMessage, liveMessage, liveMessages } from '../../src/extract/live-messages.ts';
import { type Sanitizer, sanitizeTexts } from '../../src/model/sanitize.ts';
import { withPlatform } from '../../src/pipeline/runs/with-platform.ts';
import { describeMessage, mostOfText } from '../../src/reporting/messages-text.ts';
import type { Job, JobContext } from '../job.ts';
import { refuseOtherIds } from './session-ids.ts';

/** Prints messages of a session from the platform, without a database. */
export const job: Job = {
  name: 'show',
  organizations: 'one',
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
        // JSON and text are sanitized above, with a larger limit for the length of texts.
        verbatim: true,
      };
    };
  },
};

function messagesOf(
  context: JobContext,
  session: string,
  message: string | undefined,
): Promise<readonly LiveMessage[]> {
  return withPlatform(context, {}, async (client) => {
    if (message !== undefined) return [await liveMessage(client, session, message)];
    const messages: LiveMessage[] = [];
    for await (const each of liveMessages(client, session, context.config.pageSize)) messages.push(each);
    return messages;
  });
}
