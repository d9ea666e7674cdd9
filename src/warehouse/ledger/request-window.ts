/** The widest window of days that the platform has accepted, where a wider one was refused. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** After this time a wider window is tried again: the reason may have been a bad day of the platform's. */
const validDays = 30;

/** Learned windows, in days, by endpoint. */
export async function readRequestWindows(db: Database, orgKey: number): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('etl.request_window')
    .select(['endpoint', 'window_days'])
    .where('org_key', '=', orgKey)
    .where('learned_at', '>', sql<Date>`now() - make_interval(days => ${validDays}::integer)`)
    .execute();
  return new Map(rows.map((row) => [row.endpoint, row.window_days]));
}

/** Remembers that a window of `windowDays` worked, or is the next to try. */
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
