/** Remembers for each endpoint the widest window that the platform accepts, after it has refused a wider one. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** After so many days a wider window is tried again: the platform may have refused it for a passing reason. */
const validDays = 30;

/** The widest accepted windows, in days, by endpoint. */
export async function readRequestWindows(db: Database, orgKey: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('etl.request_window')
    .select(['endpoint', 'window_days'])
    .where('org_key', '=', orgKey)
    .where('learned_at', '>', sql<Date>`now() - make_interval(days => ${validDays}::integer)`)
    .execute();
  return new Map(rows.map((row) => [row.endpoint, row.window_days]));
}

/** Remembers `windowDays` as the widest accepted window of an endpoint. */
export async function learnRequestWindow(
  db: Database,
  orgKey: number,
  endpoint: string,
  windowDays: number,
): Promise<void> {
  const values = { window_days: windowDays, learned_at: sql<Date>`now()` };
  await db
    .insertInto('etl.request_window')
    .values({ org_key: orgKey, endpoint, ...values })
    .onConflict((conflict) => conflict.columns(['org_key', 'endpoint']).doUpdateSet(values))
    .execute();
}
