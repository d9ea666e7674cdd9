import { addSessions } from '../../src/pipeline/sessions/add-sessions.ts';
import { counted } from '../../src/reporting/number-text.ts';
import type { Job } from '../job.ts';
import { idsOfInput, refuseOtherIds, standardInput } from './session-ids.ts';

/** Registers sessions, so that the next night reads their messages. */
export const job: Job = {
  name: 'add',
  organizations: 'one',
  description: 'registers sessions: nightly reads their messages until they are finished',
  example: 'sessions add session_000000001 session_000000002',
  needsPlatform: true,
  options: (command) =>
    command.argument(
      '<id...>',
      `ids of sessions; ${standardInput} reads them from standard input, a line each`,
    ),
  prepare({ arguments: given, problems }) {
    const readsInput = given.includes(standardInput);
    const words = given.filter((word) => word !== standardInput);
    refuseOtherIds(words, problems);
    return async (context) => {
      const ids = readsInput ? [...words, ...(await idsOfInput(process.stdin))] : words;
      const added = await addSessions(ids, context);
      const before = added.already_registered === 0 ? '' : `; ${added.already_registered} already were`;
      return { json: added, text: `${counted(added.registered, 'session')} registered${before}.` };
    };
  },
};
