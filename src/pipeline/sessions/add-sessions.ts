/** `sessions add`: registers sessions, so that a run reads their messages. */
import { organizationProbes } from '../../sources/registry.ts';
import { registerSessions } from '../../warehouse/ledger/agent-sessions.ts';
import { openControlConnection } from '../../warehouse/ledger/control-connection.ts';
import { organizationKey } from '../../warehouse/ledger/organization.ts';
import { organizationOfNamed } from '../organization/organization-of-credential.ts';
import type { JobSurroundings, OpenSurroundings } from '../runs/job-surroundings.ts';
import { withPlatform } from '../runs/with-platform.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';

/** The numbers of new and of already registered sessions. */
export interface AddedSessions {
  readonly registered: number;
  readonly already_registered: number;
}

/**
 * Registers sessions for the organization of the credential, and holds its lock. Throws `ConfigurationError` if the
 * platform is not configured, `LockHeldError` if a run holds the lock, and the errors of `organizationOfNamed`.
 */
export async function addSessions(
  ids: readonly string[],
  surroundings: JobSurroundings,
): Promise<AddedSessions> {
  const { clock } = surroundings;
  return withWarehouse(surroundings, 'writes', (open) =>
    withPlatform(open, {}, async (client) => {
      const { pool } = open.warehouse;
      const question = { client, probes: organizationProbes, clock, onEvent: () => undefined };
      const organizationId = await organizationOfNamed(pool, question, open.config.organization);
      return register(ids, organizationId, open);
    }),
  );
}

async function register(
  ids: readonly string[],
  organizationId: string,
  { config, log, abort, warehouse: { pool } }: OpenSurroundings,
): Promise<AddedSessions> {
  const control = await openControlConnection(pool, {
    signal: abort.signal,
    lockTimeoutMs: config.lockTimeoutMs,
    onWait: (sentence) => log.info(sentence),
    onReconnected: () => undefined,
    onLost: (error) => abort.abort(error),
  });
  try {
    const orgKey = await control.use(({ db }) => organizationKey(db, organizationId));
    await control.holdOrganization(orgKey);
    const distinct = [...new Set(ids)];
    const registered = await control.use(({ db }) => registerSessions(db, orgKey, distinct));
    return { registered, already_registered: distinct.length - registered };
  } finally {
    await control.close();
  }
}
