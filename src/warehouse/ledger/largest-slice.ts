/** How large slices have been: what is far larger is doubted. */
import { sql } from 'kysely';
import type { Source } from '../../model/source.ts';
import type { Database } from '../connection/connection.ts';
import { factName } from '../load/slice-target.ts';

/**
 * Records of the largest slice of a source that the ledger knows of in an organization, or that another source says there
 * should be; undefined where nothing says that there are any.
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
