/** Registers sessions whose messages are wanted. */
import { organizationProbes } from '../../sources/registry.ts';
import { withSession } from '../../warehouse/connection/connection.ts';
import { openControlConnection } from '../../warehouse/ledger/control-connection.ts';
import { organizationKey } from '../../warehouse/ledger/organization.ts';
import { registerSessions } from '../../warehouse/ledger/session-register.ts';
import { organizationOfCredential } from '../organization/organization-of-credential.ts';
import type { JobSurroundings, OpenSurroundings } from '../runs/job-surroundings.ts';
import { withPlatform } from '../runs/with-platform.ts';
import { withWarehouse } from '../runs/with-warehouse.ts';

/** How many sessions were registered, and how many of those given were registered already. */
export interface AddedSessions {
  readonly registered: number;
  readonly already_registered: number;
}

/**
 * Registers sessions for the organization of the credential, while no run works on it. Throws `ConfigurationError` when the
 * platform is not configured, `LockHeldError` while a run works, and what `organizationOfCredential` throws.
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
      const organizationId = await withSession(pool, ({ db }) => organizationOfCredential(db, question));
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
