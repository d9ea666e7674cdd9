/** Which organization a credential was answered as. */
import type { Database } from '../connection/connection.ts';

/** What a credential was answered as first. */
export interface BoundOrganization {
  readonly organizationId: string;
  readonly boundAt: Date;
}

/** The organization of a credential, by its digest; undefined for one that no run was answered with. */
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

/** Binds a credential that is not bound yet. Who binds it at the same time to another organization may come first. */
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
