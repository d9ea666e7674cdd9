/** The surroundings of a run for one organization of ORGANIZATIONS_FILE. */
import { configOf } from '../../model/organizations/organization-config.ts';
import type { OrganizationEntry } from '../../model/organizations/organization-entry.ts';
import { readKey } from '../../model/organizations/organization-key.ts';
import { secretsOf } from '../../model/redaction.ts';
import type { OnRunEvent } from '../../model/run.ts';
import { createSanitizer } from '../../model/sanitize.ts';
import { logOfOrganization } from '../../reporting/log.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';

/** What else happens with events and lines of a run. */
interface RunHooks {
  readonly onEvent?: OnRunEvent;
  /** Called before each line of the log. */
  readonly beforeLine?: (() => void) | undefined;
}

/** Surroundings with the settings, key, log and signal of one organization. Throws `ConfigurationError` without a key. */
export function surroundingsOf(
  entry: OrganizationEntry,
  open: JobSurroundings,
  asksPlatform: boolean,
  { onEvent, beforeLine }: RunHooks = {},
): JobSurroundings {
  const key = asksPlatform ? readKey(entry, process.env) : undefined;
  const config = configOf(entry, open.config, key);
  const redact = createSanitizer(secretsOf(config, process.env));
  return {
    ...open,
    config,
    redact,
    log: logOfOrganization(open.log, redact, entry.name, beforeLine),
    // Bars of several runs would overwrite each other.
    isTerminal: false,
    observers: [...(open.observers ?? []), ...(onEvent === undefined ? [] : [() => onEvent])],
  };
}
