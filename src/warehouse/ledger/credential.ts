/** Remembers which organization the platform named for a credential. */
import type { Database } from '../connection/connection.ts';

/** The organization that the platform named first for a credential. */
export interface BoundOrganization {
  readonly organizationId: string;
  readonly boundAt: Date;
}

/** The organization of a credential, by its digest; undefined if no run got an answer with it. */
export async function boundOrganization(
  db: Database,
  credential: Buffer,
): Promise<BoundOrganization | undefined> {
  const row = await db
    .selectFrom('etl.credential')
    .select(['org_id', 'bound_at'])
    .where('credential_digest', '=', credential)
    .executeTakeFirst();
  return row && { organizationId: row.org_id, boundAt: row.bound_at };
}

/**
 * Binds a credential to an organization, unless it is bound already. Another run may bind it to another organization at
 * the same time, so the caller must read the binding afterwards.
 */
export async function bindCredential(
  db: Database,
  credential: Buffer,
  organizationId: string,
): Promise<void> {
  await db
    .insertInto('etl.credential')
    .values({ credential_digest: credential, org_id: organizationId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
