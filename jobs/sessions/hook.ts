import { resolve } from 'node:path';
import { ConfigurationError } from '../../src/model/errors.ts';
import { hookConfiguration } from '../../src/pipeline/sessions/hook-command.ts';
import type { Job } from '../job.ts';

/** Prints the configuration of a hook that writes the id of an ended session to the spool. */
export const job: Job = {
  name: 'hook',
  organizations: 'one',
  description: 'prints the hook configuration that writes ids of ended sessions to SESSION_SPOOL_DIR',
  example: 'sessions hook',
  needsPlatform: false,
  prepare() {
    return async ({ config: { sessionSpoolDirectory } }) => {
      if (sessionSpoolDirectory === undefined)
        throw new ConfigurationError([
          'SESSION_SPOOL_DIR: missing; set it to the folder into which the hook puts ids of sessions',
        ]);
      // Agents run the hook in other folders, so the path must be absolute.
      const configuration = hookConfiguration(resolve(sessionSpoolDirectory));
      // Not sanitized: a path with a redacted part would not work.
      return { json: configuration, text: JSON.stringify(configuration, null, 2), verbatim: true };
    };
  },
};
