/**
 * What the ledger holds and lacks, counted by Postgres for all organizations at once: as objects, the slices of a
 * thousand organizations would take half a gigabyte.
 */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** Coverage of one endpoint of one organization; days as `YYYY-MM-DD`. */
export interface Coverage {
  readonly endpoint: string;
  readonly first_day: Day | null;
  readonly last_day: Day | null;
  readonly days_loaded: number;
  readonly days_empty: number;
  readonly days_pending: number;
  readonly days_failed: number;
  /** Held days whose answer was refused, without a later successful reading. */
  readonly days_refused: number;
  /** Days of the range that were never read; for snapshots also days whose reading failed. */
  readonly gaps: readonly Day[];
  readonly gaps_count: number;
  /** Whether the platform still serves them. */
  readonly gaps_can_be_filled: boolean;
  /** Keys of failed slices; for daily sources the keys are days. */
  readonly failed: readonly string[];
  readonly failed_count: number;
  /** Keys of held slices whose answer was refused: a person must decide which is right. */
  readonly refused: readonly string[];
  /** Days of the range whose answer without rows is not believed yet. */
  readonly pending: readonly string[];
  readonly pending_count: number;
}

/** A source, as far as its coverage depends on it. */
export interface CoveredSource {
  readonly name: string;
  readonly kind: 'day' | 'snapshot' | 'other';
  /** Whether only registered slices are wanted. */
  readonly isNamed: boolean;
}

/** The days to look at. */
export interface CoverageDays {
  /** Undefined: since the first day that was asked for, or for snapshots since the first one. */
  readonly from: Day | undefined;
  readonly to: Day;
  readonly today: Day;
  /** Its gap or failure does not count against completeness. */
  readonly excused?: Day | undefined;
}

/** A row of the answer: the coverage of an endpoint, and what `isComplete` and the choice of lists need. */
export interface CountedCoverage extends Coverage {
  readonly org_key: number;
  readonly organization: string;
  /** Whether a gap that can be filled, a failure, a refusal or a pending yesterday stands against completeness. */
  readonly is_lacking: boolean;
  readonly is_refused: boolean;
}

/**
 * Counts the slices of `sources`: one row for each organization and source, in this order. Daily sources have a row
 * even without slices. It reads all organizations, or those with the keys in `only`. With `withLists` it fills the lists;
 * else they are empty.
 */
export async function readCoverage(
  db: Database,
  sources: readonly CoveredSource[],
  { from, to, today, excused }: CoverageDays,
  only: readonly number[] | undefined,
  withLists: boolean,
): Promise<CountedCoverage[]> {
  /** Of a slice `s`: whether somebody still wants it. */
  const isWanted = sql`(not source.is_named or exists (
    select from etl.session as e
    where e.org_key = o.org_key
      and e.session_id_digest = warehouse.natural_key_digest(s.slice_key)
      and e.finished_at is null
  ))`;
  const isAsked = sql`case
    when source.kind = 'other' then ${isWanted}
    else s.usage_date between question.first_day and question.last_day
  end`;
  /** Refusals count on all days up to the last, unless there is a first one. */
  const isRefusalAsked = sql`case source.kind
    when 'day' then s.usage_date between coalesce(${from ?? null}::date, '-infinity') and ${to}::date
    when 'snapshot' then s.usage_date = ${today}::date
    else ${isWanted}
  end`;
  const { rows } = await sql<CountedCoverage>`
    with source as (
      select *
      from unnest(
        ${sources.map(({ name }) => name)}::text[],
        ${sources.map(({ kind }) => kind)}::text[],
        ${sources.map(({ isNamed }) => isNamed)}::boolean[]
      ) with ordinality as listed (endpoint, kind, is_named, position)
    )
    select
      o.org_key,
      o.org_id as organization,
      source.endpoint,
      held.first_day,
      held.last_day,
      held.days_loaded::integer,
      held.days_empty::integer,
      held.days_pending::integer,
      held.days_failed::integer,
      refusal.slices::integer as days_refused,
      lists.gaps,
      gap.days as gaps_count,
      source.kind <> 'snapshot' as gaps_can_be_filled,
      lists.failed,
      found.failed::integer as failed_count,
      lists.refused,
      lists.pending,
      found.pending::integer as pending_count,
      (
        (source.kind <> 'snapshot' and gap.days > gap.excused_days)
        or found.failed > found.failed_excused
        or found.refused > 0
        or found.is_yesterday_pending
      ) as is_lacking,
      found.refused > 0 as is_refused
    from warehouse.dim_org as o
    cross join source
    cross join lateral (
      select
        min(s.usage_date) filter (where s.status in ('loaded', 'empty')) as first_day,
        max(s.usage_date) filter (where s.status in ('loaded', 'empty')) as last_day,
        count(*) filter (where s.status = 'loaded') as days_loaded,
        count(*) filter (where s.status = 'empty') as days_empty,
        count(*) filter (where s.status = 'pending') as days_pending,
        count(*) filter (where s.status = 'failed') as days_failed,
        count(*) as slices
      from etl.slice as s
      where s.org_key = o.org_key
        and s.endpoint = source.endpoint
    ) as held
    -- the first and last day on which a missing slice is a gap
    cross join lateral (
      select
        coalesce(
          ${from ?? null}::date,
          case
            when source.kind = 'snapshot' then held.first_day
            else coalesce(
              (select a.first_day from etl.asked_range as a where a.org_key = o.org_key and a.endpoint = source.endpoint),
              (select min(s.usage_date) from etl.slice as s where s.org_key = o.org_key and s.status = 'loaded')
            )
          end
        ) as first_day,
        case when source.kind = 'snapshot' then least(${to}::date, ${today}::date - 1) else ${to}::date end as last_day
    ) as range
    -- the days whose failure can be repaired: an earlier snapshot cannot be read again
    cross join lateral (
      select
        case source.kind when 'snapshot' then ${today}::date when 'day' then range.first_day end as first_day,
        case source.kind when 'snapshot' then ${today}::date when 'day' then range.last_day end as last_day
    ) as question
    cross join lateral (
      select
        count(*) filter (
          where s.usage_date between range.first_day and range.last_day
            and (source.kind <> 'snapshot' or s.status <> 'failed')
        ) as known,
        bool_or(s.usage_date = ${excused ?? null}::date) is true as knows_excused,
        count(*) filter (where s.status = 'failed' and s.usage_date between question.first_day and question.last_day)
          as failed,
        count(*) filter (
          where s.status = 'failed'
            and s.usage_date between question.first_day and question.last_day
            and s.usage_date = ${excused ?? null}::date
        ) as failed_excused,
        count(*) filter (where s.status = 'pending' and s.usage_date between question.first_day and question.last_day)
          as pending,
        bool_or(
          s.status = 'pending'
          and s.usage_date between question.first_day and question.last_day
          and s.usage_date = ${today}::date - 1
          and s.usage_date is distinct from ${excused ?? null}::date
        ) is true as is_yesterday_pending
      from etl.slice as s
      where s.org_key = o.org_key
        and s.endpoint = source.endpoint
    ) as day
    -- slices without a day
    cross join lateral (
      select
        count(*) filter (where s.status = 'failed') as failed,
        count(*) filter (where s.status = 'pending') as pending
      from etl.slice as s
      where source.kind = 'other'
        and s.org_key = o.org_key
        and s.endpoint = source.endpoint
        and s.status in ('failed', 'pending')
        and ${isWanted}
    ) as undated
    cross join lateral (
      select
        count(*) as slices,
        count(*) filter (where ${isRefusalAsked}) as asked_about
      from etl.slice as s
      where s.org_key = o.org_key
        and s.endpoint = source.endpoint
        and s.refused_at is not null
    ) as refusal
    cross join lateral (
      select
        day.known,
        day.knows_excused,
        day.failed + undated.failed as failed,
        day.failed_excused,
        day.pending + undated.pending as pending,
        day.is_yesterday_pending,
        refusal.asked_about as refused
    ) as found
    cross join lateral (
      select
        case
          when source.kind = 'other' then 0
          else greatest(coalesce(range.last_day - range.first_day + 1 - found.known, 0), 0)
        end::integer as days,
        (
          not found.knows_excused
          and coalesce(${excused ?? null}::date between range.first_day and range.last_day, false)
        )::integer as excused_days
    ) as gap
    cross join lateral (
      select
        array(
          select (range.first_day + n)::text
          from generate_series(0, range.last_day - range.first_day) as n
          where ${withLists}
            and gap.days > 0
            and not exists (
              select from etl.slice as s
              where s.org_key = o.org_key
                and s.endpoint = source.endpoint
                and s.usage_date = range.first_day + n
                and (source.kind <> 'snapshot' or s.status <> 'failed')
            )
          order by n
        ) as gaps,
        ${keysWhere(withLists, sql`found.failed > 0`, sql`s.status = 'failed' and ${isAsked}`)} as failed,
        ${keysWhere(withLists, sql`found.pending > 0`, sql`s.status = 'pending' and ${isAsked}`)} as pending,
        ${keysWhere(withLists, sql`found.refused > 0`, sql`s.refused_at is not null and ${isRefusalAsked}`)} as refused
    ) as lists
    where (held.slices > 0 or source.kind = 'day')
      and (${only ?? null}::integer[] is null or o.org_key = any(${only ?? null}::integer[]))
    order by o.org_key, source.position
  `.execute(db);
  return rows;

  function keysWhere(areWanted: boolean, isAny: ReturnType<typeof sql>, condition: ReturnType<typeof sql>) {
    return sql`array(
      select s.slice_key
      from etl.slice as s
      where ${areWanted}
        and ${isAny}
        and s.org_key = o.org_key
        and s.endpoint = source.endpoint
        and ${condition}
      order by s.slice_key
    )`;
  }
}

/** Those of `endpoints` of which any organization holds a slice. */
export async function readHeldEndpoints(db: Database, endpoints: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ endpoint: string }>`
    select asked.endpoint
    from unnest(${endpoints}::text[]) as asked (endpoint)
    where exists (
      select
      from warehouse.dim_org as o
      cross join lateral (
        select
        from etl.slice as s
        where s.org_key = o.org_key
          and s.endpoint = asked.endpoint
          and s.status in ('loaded', 'empty')
        limit 1
      ) as held
    )
  `.execute(db);
  return rows.map(({ endpoint }) => endpoint);
}
