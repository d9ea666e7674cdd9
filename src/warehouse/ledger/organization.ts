/** The organizations that the warehouse knows, and its calendar. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** The surrogate key of an organization; inserts a new organization. */
export async function organizationKey(db: Database, organizationId: string): Promise<number> {
  const known = await findOrganization(db, organizationId);
  if (known !== undefined) return known;
  await db
    .insertInto('warehouse.dim_org')
    .values({ org_id: organizationId })
    .onConflict((conflict) => conflict.column('natural_key_digest').doNothing())
    .execute();
  const made = await findOrganization(db, organizationId);
  if (made === undefined)
    throw new TypeError(`organization ${organizationId} has no key after it was inserted`);
  return made;
}

/** The surrogate key of an organization; undefined if the warehouse does not know it. */
export async function findOrganization(db: Database, organizationId: string): Promise<number | undefined> {
  const row = await db
    .selectFrom('warehouse.dim_org')
    .select('org_key')
    .where('natural_key_digest', '=', sql<Buffer>`warehouse.natural_key_digest(${organizationId})`)
    .executeTakeFirst();
  return row?.org_key;
}

/** All organizations that the warehouse knows, in the order of their keys. */
export async function listOrganizations(db: Database): Promise<{ orgKey: number; organizationId: string }[]> {
  const rows = await db
    .selectFrom('warehouse.dim_org')
    .select(['org_key', 'org_id'])
    .orderBy('org_key')
    .execute();
  return rows.map((row) => ({ orgKey: row.org_key, organizationId: row.org_id }));
}

/** Makes `dim_date` cover the days; writes nothing if it covers them already. */
export async function ensureDates(db: Database, from: string, to: string): Promise<void> {
  await sql`select warehouse.ensure_dates(${from}::date, ${to}::date)`.execute(db);
}
