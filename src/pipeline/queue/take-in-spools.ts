/** Takes in the session spools of this machine: another worker on another machine may load the organization. */
import { setTimeout as delay } from 'node:timers/promises';
import { explain } from '../../model/errors.ts';
import { logOfOrganization } from '../../reporting/log.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { readBoundNames } from '../../warehouse/ledger/bound-organizations.ts';
import type { JobSurroundings, OpenSurroundings } from '../runs/job-surroundings.ts';
import { takeInSpool } from '../sessions/registered-sessions.ts';

const minuteMs = 60_000;

/** Takes in the spools of all organizations in the file once a minute, until the signal aborts. */
export async function takeInSpools(
  open: OpenSurroundings,
  readSettings: () => Promise<JobSurroundings>,
): Promise<void> {
  const { log, abort } = open;
  while (!abort.signal.aborted) {
    await takeInOnce(open, readSettings).catch((error: unknown) => {
      if (!abort.signal.aborted)
        log.warn({ reason: explain(error) }, 'the session spools could not be taken in; this is tried again');
    });
    await delay(minuteMs, undefined, { signal: abort.signal }).catch(() => undefined);
  }
}

/** An organization that no run has bound yet keeps its files until one has. */
async function takeInOnce(
  { warehouse: { pool } }: OpenSurroundings,
  readSettings: () => Promise<JobSurroundings>,
): Promise<void> {
  const { config, log, redact } = await readSettings();
  const withSpool = (config.organizations ?? []).filter(
    ({ settings }) => settings.sessionSpoolDirectory !== undefined,
  );
  if (withSpool.length === 0) return;
  await withSession(pool, async ({ db }) => {
    const names = withSpool.map(({ name }) => name);
    const bound = await readBoundNames(db, names);
    for (const { name, settings } of withSpool) {
      const orgKey = bound.get(name)?.orgKey;
      if (orgKey !== undefined)
        await takeInSpool(db, orgKey, settings.sessionSpoolDirectory, logOfOrganization(log, redact, name));
    }
  });
}
