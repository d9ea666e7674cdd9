/** The first day that was ever asked for, by endpoint: a later day that is not held is a gap. */
import { sql } from 'kysely';
import { type Day, day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** Remembers that days from `firstDay` on were asked for, unless an earlier day is remembered. */
export async function rememberAskedRange(
  db: Database,
  orgKey: number,
  endpoints: readonly string[],
  firstDay: Day,
): Promise<void> {
  if (endpoints.length === 0) return;
  await db
    .insertInto('etl.asked_range')
    .values(endpoints.map((endpoint) => ({ org_key: orgKey, endpoint, first_day: firstDay })))
    .onConflict((conflict) =>
      conflict
        .columns(['org_key', 'endpoint'])
        .doUpdateSet((eb) => ({ first_day: eb.ref('excluded.first_day') }))
        // Most runs ask for no earlier day, and then nothing is written.
        .where(sql<boolean>`excluded.first_day < asked_range.first_day`),
    )
    .execute();
}

/** The earliest day that was ever asked for, by endpoint. An endpoint that was never asked for is not in the map. */
export async function readAskedRanges(db: Database, orgKey: number): Promise<ReadonlyMap<string, Day>> {
  const rows = await db
    .selectFrom('etl.asked_range')
    .select(['endpoint', 'first_day'])
    .where('org_key', '=', orgKey)
    .execute();
  return new Map(rows.map(({ endpoint, first_day }) => [endpoint, day(first_day)]));
}
