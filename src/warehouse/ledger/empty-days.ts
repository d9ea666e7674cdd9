/** Which answers without rows are believed, once all of a run has been heard (warehouse contract, status of a slice). */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { addDays } from '../../model/day.ts';
import type { Table } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { factName } from '../load/slice-target.ts';

/** A day older than this many days before the newest has been counted, if it ever will be. */
const daysUntilCounted = 3;
/** So many runs, each begun on a UTC day of its own, are not all wrong. */
const daysUntilBelieved = 3;

/** How the platform says by another endpoint that there is nothing: a figure that is 0 on that day. */
export interface NothingWhere {
  readonly endpoint: string;
  readonly table: Table;
  readonly column: string;
}

/**
 * Decides which days that this run found without rows are empty, and which pending: no endpoint has rows for a day that
 * is old enough, runs of three different days got the same answer, or another figure says so. The run's yesterday needs
 * the latter. Only for the endpoints that are `doubted`. Returns the keys of those that are empty now, by endpoint; may be repeated.
 */
export async function believeEmptyDays(
  db: Database,
  run: { readonly orgKey: number; readonly runId: string; readonly yesterday: Day },
  doubted: readonly string[],
  nothingWhere: readonly NothingWhere[],
): Promise<{ readonly endpoint: string; readonly key: string }[]> {
  const saysNothing = nothingWhere.map(
    ({ endpoint, table, column }) => sql`
      or (
        slice.endpoint = ${endpoint}
        and exists (
          select from ${sql.table(factName(table))} as f
          where f.org_key = slice.org_key and f.usage_date = slice.usage_date and f.${sql.ref(column)} = 0
        )
      )`,
  );
  const { rows } = await sql<{ endpoint: string; key: string; status: string }>`
    update etl.slice as slice
    set status = case when (
        (
          slice.usage_date < ${addDays(run.yesterday, -daysUntilCounted)}
          and not exists (
            select from etl.slice as other
            where other.org_key = slice.org_key and other.usage_date = slice.usage_date and other.row_count > 0
              -- that something could be read on a day does not say that it was used
              and other.endpoint = any(${doubted})
          )
        )
        or (
          slice.usage_date < ${run.yesterday}
          and (
            select count(distinct (r.started_at at time zone 'UTC')::date)
            from etl.run as r
            where r.run_id = any(slice.answered_empty_by)
          ) >= ${daysUntilBelieved}
        )
        ${sql.join(saysNothing, sql` `)}
      ) then 'empty' else 'pending' end
    where slice.org_key = ${run.orgKey}
      and slice.run_id = ${run.runId}
      and slice.status in ('pending', 'empty')
      and slice.endpoint = any(${doubted})
      and slice.last_failed_at is null
    returning slice.endpoint, slice.slice_key as key, slice.status
  `.execute(db);
  return rows.filter(({ status }) => status === 'empty');
}
