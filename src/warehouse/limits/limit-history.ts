/** The history of credit limit changes. */
import { sql } from 'kysely';
import type { PastChange } from '../../model/limit-changes.ts';
import type { Database } from '../connection/connection.ts';

/** All attempts of one organization, or of all, newest first. */
export async function readLimitHistory(db: Database, orgKey?: number): Promise<PastChange[]> {
  const ofAll = db
    .selectFrom('etl.credit_limit_change as c')
    .innerJoin('warehouse.dim_org as o', 'o.org_key', 'c.org_key')
    .select([
      'c.change_id',
      'o.org_id',
      'c.user_email',
      'c.requested_limit',
      'c.outcome',
      'c.confirmed_limit',
      'c.error',
      'c.run_id',
      sql<string>`to_char(c.requested_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`.as(
        'requested_at',
      ),
      sql<string | null>`to_char(c.answered_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`.as(
        'answered_at',
      ),
    ])
    .orderBy('c.change_id', 'desc');
  const rows = await (orgKey === undefined ? ofAll : ofAll.where('c.org_key', '=', orgKey)).execute();
  return rows.map((row) => ({
    change_id: Number(row.change_id),
    organization: row.org_id,
    email: row.user_email,
    requested_limit: row.requested_limit === null ? null : Number(row.requested_limit),
    outcome: row.outcome,
    confirmed_limit: row.confirmed_limit === null ? null : Number(row.confirmed_limit),
    error: row.error,
    run_id: Number(row.run_id),
    requested_at: row.requested_at,
    answered_at: row.answered_at,
  }));
}
