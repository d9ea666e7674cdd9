/**
 * What the ledger tells monitoring: the last held day of each endpoint, and the failed tries of the newest night.
 */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** The last day of an endpoint that the warehouse holds. */
export interface LastDay {
  readonly organization: string;
  readonly endpoint: string;
  readonly day: Day;
}

/**
 * Reads the last held day by organization and endpoint. An endpoint of `endpoints` without a held day is left out. Of more
 * than `most` organizations it reads so many, those with the oldest last day of any endpoint first.
 */
export async function readLastDays(
  db: Database,
  endpoints: readonly string[],
  most: number,
): Promise<LastDay[]> {
  const { rows } = await sql<LastDay>`
    with last as (
      select
        org.org_id as organization,
        asked.endpoint,
        held.day
      from warehouse.dim_org as org
      cross join unnest(${endpoints}::text[]) as asked (endpoint)
      -- an index has it at its end
      cross join lateral (
        select max(slice.usage_date) as day
        from etl.slice as slice
        where slice.org_key = org.org_key
          and slice.endpoint = asked.endpoint
          and slice.status in ('loaded', 'empty')
      ) as held
      where held.day is not null
    ),
    stalest as (
      select organization
      from last
      group by organization
      order by min(day), organization
      limit ${most}
    )
    select organization, endpoint, day
    from last
    join stalest using (organization)
    order by organization, endpoint
  `.execute(db);
  return rows;
}

/** The states of organizations after the newest night of each. */
export const organizationStates = ['whole', 'pending', 'failed', 'never'] as const;
export type OrganizationCounts = Readonly<Record<(typeof organizationStates)[number], number>>;

/**
 * Counts the organizations by the day of their newest night: `whole` if all of `endpoints` hold it; else `failed` if one
 * of them failed or was not read; else `pending`. `never`: nothing of the organization was ever held. Without a night the
 * newest day of its ledger counts.
 */
export async function countOrganizations(
  db: Database,
  endpoints: readonly string[],
): Promise<OrganizationCounts> {
  const { rows } = await sql<OrganizationCounts>`
    with state as (
      select
        case
          when night.day is null then 'never'
          when slices.held = ${endpoints.length} then 'whole'
          when slices.held + slices.pending = ${endpoints.length} then 'pending'
          else 'failed'
        end as name
      from warehouse.dim_org as org
      cross join lateral (
        select
          case
            when exists (
              select from etl.slice as s where s.org_key = org.org_key and s.status in ('loaded', 'empty')
            ) then coalesce(
              (
                select (run.arguments ->> 'date')::date
                from etl.run as run
                where run.org_key = org.org_key and run.job = 'nightly'
                order by run.run_id desc
                limit 1
              ),
              (
                select max(newest.day)
                from unnest(${endpoints}::text[]) as asked (endpoint)
                cross join lateral (
                  select max(s.usage_date) as day
                  from etl.slice as s
                  where s.org_key = org.org_key and s.endpoint = asked.endpoint
                ) as newest
              )
            )
          end as day
      ) as night
      cross join lateral (
        select
          count(*) filter (where s.status in ('loaded', 'empty')) as held,
          count(*) filter (where s.status = 'pending') as pending
        from etl.slice as s
        where s.org_key = org.org_key
          and s.endpoint = any(${endpoints}::text[])
          and s.usage_date = night.day
      ) as slices
    )
    select
      count(*) filter (where name = 'whole')::integer as whole,
      count(*) filter (where name = 'pending')::integer as pending,
      count(*) filter (where name = 'failed')::integer as failed,
      count(*) filter (where name = 'never')::integer as never
    from state
  `.execute(db);
  return rows[0] ?? { whole: 0, pending: 0, failed: 0, never: 0 };
}

/** The runs of the newest night of one organization; `org_key` is null if they did not get to know it. */
interface TriesOfOrganization {
  readonly org_key: number | null;
  readonly last_run: number;
  readonly is_whole: boolean;
  readonly bad: number;
}

/**
 * Counts the failed tries of the newest night for which a `nightly` ran; 0 if the night is complete. A try also counts as
 * failed if a slice of `endpoints` is still pending `graceHours` after the end of the day.
 */
export async function countFailedTries(
  db: Database,
  endpoints: readonly string[],
  graceHours: number,
): Promise<number> {
  const { rows } = await sql<TriesOfOrganization>`
    with night as (
      select max(arguments ->> 'date') as day
      from etl.run
      where job = 'nightly'
    ),
    tries as (
      select
        run.org_key,
        run.run_id,
        run.status,
        run.finished_at >= (night.day::timestamp at time zone 'UTC') + (24 + ${graceHours}::float8) * interval '1 hour' as is_late,
        exists (
          select from etl.slice as slice
          where slice.org_key = run.org_key
            and slice.usage_date = night.day::date
            and slice.status = 'pending'
            and slice.endpoint = any(${endpoints})
        ) as is_pending
      from etl.run as run
      join night on run.arguments ->> 'date' = night.day
      where run.job = 'nightly' and run.status <> 'running'
    )
    select
      org_key,
      max(run_id)::float8 as last_run,
      (array_agg(status = 'succeeded' and not is_pending order by run_id desc))[1] as is_whole,
      count(*) filter (where status <> 'succeeded' or (is_pending and is_late))::int as bad
    from tries
    group by org_key
  `.execute(db);
  const last = Math.max(...rows.map(({ last_run }) => last_run));
  const bad = (of: readonly TriesOfOrganization[]) =>
    Math.max(0, ...of.map((each) => (each.is_whole ? 0 : each.bad)));
  // Tries without an organization count only if no later try got to know its organization.
  const ofNone = rows.filter(({ org_key, last_run }) => org_key === null && last_run === last);
  return bad(rows.filter(({ org_key }) => org_key !== null)) + bad(ofNone);
}
