/** The size of the largest slice so far. */
import { sql } from 'kysely';
import type { Source } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { factName } from '../load/slice-target.ts';

/**
 * The number of records in an organization's largest slice of a source, from the ledger or from figures of another
 * source; undefined if neither has such a number.
 */
export async function readLargestSlice(
  db: Database,
  orgKey: number,
  { name, recordsOfDay }: Source,
): Promise<number | undefined> {
  const figure =
    recordsOfDay === undefined
      ? sql`null`
      : sql`(
          select max(${sql.ref(recordsOfDay.column)}) from ${sql.table(factName(recordsOfDay.table))}
          where org_key = ${orgKey}
        )`;
  const { rows } = await sql<{ records: string | null }>`
    select greatest(max(row_count + rejected_count), ${figure})::text as records
    from etl.slice
    where org_key = ${orgKey} and endpoint = ${name}
  `.execute(db);
  return Number(rows[0]?.records ?? 0) || undefined;
}
