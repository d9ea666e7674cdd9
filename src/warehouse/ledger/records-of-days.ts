/** Reads how many records a source has for each day, from figures of another source. */
import { sql } from 'kysely';
import type { Source } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { factName } from '../load/slice-target.ts';

/** The number of records by day, from the figure in `Source.recordsOfDay`; empty for a source that does not name one. */
export async function readRecordsOfDays(
  db: Database,
  orgKey: number,
  { recordsOfDay }: Source,
): Promise<ReadonlyMap<string, number>> {
  if (recordsOfDay === undefined) return new Map();
  const { rows } = await sql<{ day: string; records: string }>`
    select usage_date::text as day, ${sql.ref(recordsOfDay.column)}::text as records
    from ${sql.table(factName(recordsOfDay.table))}
    where org_key = ${orgKey} and ${sql.ref(recordsOfDay.column)} is not null
  `.execute(db);
  return new Map(rows.map(({ day, records }) => [day, Number(records)]));
}
