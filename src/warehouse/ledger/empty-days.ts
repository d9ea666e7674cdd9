/** Decides at the end of a run which answers without rows are believed: their slices become `empty`. */
import { type RawBuilder, sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { addDays } from '../../model/day.ts';
import type { Table } from '../../model/table.ts';
import type { Database } from '../connection/connection.ts';
import { factName } from '../load/slice-target.ts';
import type { SliceName } from './slice-ledger.ts';

/** A day that lies more than so many days before yesterday gets no new rows from the platform. */
const daysUntilCounted = 3;
/** Answers without rows are believed when runs on so many different UTC days got them. */
const daysUntilBelieved = 3;

/** Figures of another endpoint: when all of them are 0 on a day, `endpoint` has no rows for that day. */
export interface NothingWhere {
  readonly endpoint: string;
  readonly table: Table;
  readonly columns: readonly string[];
}

/** The endpoints whose empty answers may be mistakes, and the figures that prove that a day is empty. */
export interface Doubts {
  readonly endpoints: readonly string[];
  readonly nothingWhere: readonly NothingWhere[];
}

/**
 * Decides which days without rows in this run are empty, and which stay pending. A day is empty if runs on three
 * different days got no rows; if figures of another endpoint say so; or if every endpoint answered without rows and
 * the day is old enough. Only answers count: an endpoint that was never asked, or whose last reading failed, proves
 * nothing. For the run's yesterday only the figures count. Returns the days that are empty now. A second call changes
 * nothing.
 */
export async function believeEmptyDays(
  db: Database,
  run: { readonly orgKey: number; readonly runId: string; readonly yesterday: Day },
  { endpoints, nothingWhere }: Doubts,
): Promise<readonly SliceName[]> {
  const { rows } = await sql<SliceName & { status: string }>`
    with decided as (
      select
        slice.org_key,
        slice.endpoint,
        slice.slice_key,
        case
          when slice.usage_date < ${run.yesterday}
            and (
              (slice.status = 'empty' and slice.believed_by = 'days')
              or (
                select count(distinct (r.started_at at time zone 'UTC')::date)
                from etl.run as r
                where r.run_id = any(slice.answered_empty_by)
              ) >= ${daysUntilBelieved}
            )
            then 'days'
          when ${figuresSayNothing(nothingWhere)} then 'figures'
          when slice.usage_date < ${addDays(run.yesterday, -daysUntilCounted)}
            and not exists (
              -- a snapshot does not show whether there was usage, so only endpoints with doubted answers are looked at
              select from unnest(${endpoints}::text[]) as asked (endpoint)
              where not exists (
                select from etl.slice as other
                where other.org_key = slice.org_key
                  and other.endpoint = asked.endpoint
                  and other.slice_key = slice.slice_key
                  and other.last_failed_at is null
                  -- a pending day without an answer was never asked for
                  and (other.status = 'empty' or (other.status = 'pending' and cardinality(other.answered_empty_by) > 0))
              )
            )
            then 'endpoints'
        end as believed_by
      from etl.slice as slice
      where slice.org_key = ${run.orgKey}
        and slice.run_id = ${run.runId}
        and slice.status in ('pending', 'empty')
        and slice.endpoint = any(${endpoints})
        and ${run.runId} = any(slice.answered_empty_by)
        and slice.last_failed_at is null
    )
    update etl.slice as slice
    set
      status = case when decided.believed_by is null then 'pending' else 'empty' end,
      believed_by = decided.believed_by
    from decided
    where slice.org_key = decided.org_key
      and slice.endpoint = decided.endpoint
      and slice.slice_key = decided.slice_key
    returning slice.endpoint, slice.slice_key as key, slice.status
  `.execute(db);
  return rows.filter(({ status }) => status === 'empty');
}

/**
 * Makes an organization's empty days pending again if another endpoint holds rows of the same day. A day stays empty if
 * runs on three different days got no rows for it, or if the day's activity shows that nobody was active. Returns only
 * the days that this call changed; a second call changes nothing.
 */
export async function reopenEmptyDays(
  db: Database,
  orgKey: number,
  { endpoints, nothingWhere }: Doubts,
): Promise<readonly SliceName[]> {
  const { rows } = await sql<SliceName>`
    update etl.slice as slice
    set
      status = 'pending',
      believed_by = null
    where slice.org_key = ${orgKey}
      and slice.status = 'empty'
      and slice.endpoint = any(${endpoints})
      and slice.believed_by is distinct from 'days'
      and exists (
        select from etl.slice as other
        where other.org_key = slice.org_key
          and other.endpoint = any(${endpoints})
          and other.slice_key = slice.slice_key
          and other.row_count > 0
      )
      and not ${figuresSayNothing(nothingWhere)}
    returning slice.endpoint, slice.slice_key as key
  `.execute(db);
  return rows;
}

/** A condition on a row `slice` of the ledger: figures of another endpoint say that it is empty. A missing figure does not. */
function figuresSayNothing(nothingWhere: readonly NothingWhere[]): RawBuilder<unknown> {
  const conditions = nothingWhere.map(({ endpoint, table, columns }) => {
    const zeros = columns.map((column) => sql`f.${sql.ref(column)} = 0`);
    return sql`(
      slice.endpoint = ${endpoint}
      and exists (
        select from ${sql.table(factName(table))} as f
        where f.org_key = slice.org_key and f.usage_date = slice.usage_date and ${sql.join(zeros, sql` and `)}
      )
    )`;
  });
  return sql`(${sql.join([sql`false`, ...conditions], sql` or `)})`;
}
