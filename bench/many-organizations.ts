/**
 * Fills a warehouse with many organizations inside the database, because loading them would take hours. Rows come in
 * the order in which nights bring them, so the rows of one organization lie on many pages.
 */
import type pg from 'pg';
import { flattenOf } from '../src/flatten/flatten.ts';
import { dailySources } from '../src/sources/registry.ts';

/** The size of the data. About a third of the users is active on a day. */
export interface OrganizationsSize {
  readonly organizations: number;
  readonly usersOfEach: number;
  /** Number of days, up to yesterday. */
  readonly days: number;
  /** Number of nights with a run of each organization. */
  readonly nights: number;
}

/** Sizes by name: 10 million user-days; 500,000; and a few to test that everything works. */
export const organizationSizes = {
  full: { organizations: 1_000, usersOfEach: 290, days: 100, nights: 365 },
  small: { organizations: 100, usersOfEach: 290, days: 50, nights: 365 },
  quick: { organizations: 8, usersOfEach: 12, days: 40, nights: 60 },
} as const satisfies Readonly<Record<string, OrganizationsSize>>;

/** Of each organization: with eight models, a day has about two facts for each sum. */
const teams = 8;
const one = (seed: number, most: number) => `abs(hashint8extended(chance, ${seed}) % ${most})`;
const dateOf = (ago: number) => `((now() at time zone 'utc')::date - ${ago})`;

/** Fills a migrated, empty warehouse. */
export async function fillOrganizations(
  client: pg.ClientBase,
  size: OrganizationsSize,
  say: (text: string) => void,
): Promise<void> {
  await client.query('set synchronous_commit = off');
  for (const statement of dimensionStatements(size)) await client.query(statement);
  for (let ago = size.nights; ago > size.days; ago -= 1) await client.query(runsOf(ago));
  for (let ago = size.days; ago >= 1; ago -= 1) {
    for (const statement of nightStatements(ago)) await client.query(statement);
    if (ago % 50 === 0) say(`${ago} nights left`);
  }
  for (const statement of lastStatements(size)) await client.query(statement);
  say('vacuum analyze');
  await client.query('vacuum analyze');
}

function dimensionStatements({ organizations, usersOfEach, days }: OrganizationsSize): string[] {
  return [
    `select warehouse.ensure_dates(${dateOf(days)}, ${dateOf(0)})`,
    `insert into warehouse.dim_org (org_id)
     select 'org_' || lpad(n::text, 5, '0') from generate_series(1, ${organizations}) as n order by n`,
    `insert into warehouse.dim_user (org_key, user_id, user_email)
     select o, 'user_' || o || '_' || n, 'person' || n || '@org' || o || '.example'
     from generate_series(1, ${organizations}) as o, generate_series(1, ${usersOfEach}) as n`,
    `insert into warehouse.dim_model (model_id, model_tier)
     select 'model-' || n, tier from generate_series(1, 4) as n, unnest(array['standard', 'thinking']) as tier`,
    `insert into warehouse.dim_language (language_name) select 'Language ' || n from generate_series(1, 6) as n`,
    `insert into warehouse.dim_tool (tool_name) select 'Tool' || n from generate_series(1, 6) as n`,
    `insert into warehouse.dim_skill (skill_name) select 'skill-' || n from generate_series(1, 3) as n`,
    `insert into warehouse.dim_slash_command (command_name) select 'command-' || n from generate_series(1, 3) as n`,
    `insert into warehouse.dim_mcp_server (server_name) select 'Server ' || n from generate_series(1, 3) as n`,
    `insert into warehouse.dim_hook (event, matcher, command)
     select 'PostToolUse', 'Edit', 'npm run check-' || n from generate_series(1, 3) as n`,
    `insert into warehouse.dim_file_extension (extension) select '.x' || n from generate_series(1, 4) as n`,
    `insert into warehouse.person_assignment (org_key, user_id, team, department, cost_center, valid_from)
     select org_key, user_id, 'Team ' || user_key % ${teams}, 'Department ' || user_key % 2, 'C' || user_key % ${teams}, ${dateOf(days)}
     from warehouse.dim_user where user_key % 10 <> 0`,
    `insert into warehouse.credit_price
     select distinct model_id, '*', 1.5, 'EUR', date '2020-01-01' from warehouse.dim_model where model_id <> 'model-4'`,
    `insert into etl.asked_range
     select org_key, endpoint, ${dateOf(days)} from warehouse.dim_org, unnest(array[${endpointNames}]) as endpoint`,
  ];
}

const endpointNames = dailySources.map(({ name }) => `'${name}'`).join(', ');

/** The rows of one night: runs of all organizations, facts, and the ledger. */
function nightStatements(ago: number): string[] {
  const day = dateOf(ago);
  /** One row for each organization and row of a dimension. */
  const listed = (table: string, dimension: string, value: string) =>
    `insert into warehouse.${table} select o.org_key, ${day}, d.${dimension}_key, ${value}
     from warehouse.dim_org as o cross join warehouse.dim_${dimension} as d order by 1, 3`;
  return [
    runsOf(ago),
    `create temporary table active on commit preserve rows as
     select org_key, user_key, chance
     from (
       select org_key, user_key, hashint8extended(user_key::bigint * 1000003 + ${ago}, 1) as chance from warehouse.dim_user
     ) as u
     where ${one(0, 1000)} < case when extract(isodow from ${day}) > 5 then 110 else 440 end
     order by org_key, user_key`,
    `insert into warehouse.fact_user_daily
     select org_key, ${day}, user_key, 1 + ${one(3, 8)}, 1 + ${one(4, 5)}, ${one(5, 300)},
       1000 + ${one(6, 900_000)} + 0.25, ${one(7, 9)}, ${one(8, 30)}, ${one(9, 12)}, ${one(10, 4)}, ${one(11, 20)},
       ${one(12, 6)}, ${one(13, 9)}, ${one(14, 7)}, ${one(15, 12)} + 1, ${one(16, 200)} + 2, ${one(17, 60)} + 1,
       ${one(18, 140)} + 1, ${one(19, 100)} / 10.0
     from active`,
    `insert into warehouse.bridge_user_language_daily select org_key, ${day}, user_key, 1 + ${one(20, 6)} from active`,
    `insert into warehouse.fact_token_user_model_daily
     select org_key, ${day}, user_key, 1 + ${one(3, 8)}, 1000 + ${one(6, 900_000)} + 0.25, ${one(24, 90_000)}, ${one(25, 9_000)} from active`,
    `insert into warehouse.fact_token_user_daily
     select org_key, ${day}, user_key, 1000 + ${one(6, 900_000)} + 0.25 from active`,
    `insert into warehouse.fact_token_model_daily
     select org_key, ${day}, 1 + ${one(3, 8)}, sum(1000 + ${one(6, 900_000)} + 0.25) + 100, sum(${one(24, 90_000)}), sum(${one(25, 9_000)})
     from active group by 1, 3 order by 1, 3`,
    `insert into warehouse.fact_token_daily
     select org_key, ${day}, sum(1000 + ${one(6, 900_000)} + 0.25) + 1000, 900000, 90000, 300000, 40000 from active group by 1 order by 1`,
    `insert into warehouse.fact_activity_daily
     select org_key, ${day}, count(*), 2 * count(*), 3 * count(*), sum(${one(15, 12)} + 1), sum(${one(16, 200)} + 2), sum(${one(17, 60)} + 1)
     from active group by 1 order by 1`,
    `insert into warehouse.fact_productivity_daily
     select org_key, ${day}, sum(${one(7, 9)}), sum(${one(8, 30)}), sum(${one(9, 12)}), sum(${one(10, 4)}) from active group by 1 order by 1`,
    `insert into warehouse.fact_tool_daily
     select org_key, ${day}, sum(${one(5, 300)}), count(*) / 3, sum(${one(12, 6)}), sum(${one(13, 9)}), sum(${one(14, 7)}), count(*) / 5, 4.5, 4, 9, 20, 5
     from active group by 1 order by 1`,
    listed('fact_activity_client_daily', 'client', '1'),
    listed('fact_tool_usage_daily', 'tool', '10'),
    listed('fact_skill_daily', 'skill', '3'),
    listed('fact_slash_command_daily', 'slash_command', '3'),
    listed('fact_mcp_server_daily', 'mcp_server', '3'),
    listed('fact_hook_daily', 'hook', '3'),
    listed('fact_autonomy_level_daily', 'autonomy_level', '0.2'),
    listed('fact_file_extension_daily', 'file_extension', '100'),
    listed('fact_language_daily', 'language', '100'),
    `insert into etl.slice
       (org_key, endpoint, slice_key, usage_date, status, row_count, table_rows, run_id, fetched_at, loaded_at, attempts, content_hash)
     select r.org_key, e.endpoint, ${day}::text, ${day}, 'loaded', e.row_count, e.table_rows, r.run_id, r.started_at, r.started_at, 1, sha256('x')
     from etl.run as r
     cross join lateral (${ledgerRows(day)}) as e
     where r.started_at = ${day} + interval '26 hours'
     order by r.org_key`,
    'drop table active',
  ];
}

/** A run of each organization in a night. */
function runsOf(ago: number): string {
  const day = dateOf(ago);
  return `
    insert into etl.run (job, arguments, status, started_at, finished_at, org_key, app_version, requests)
    select 'nightly', jsonb_build_object('date', ${day}), 'succeeded', ${day} + interval '26 hours', ${day} + interval '26 hours 1 minute',
      org_key, '0.1.0', 10
    from warehouse.dim_org order by org_key`;
}

/** For an organization `r` and a day: a row for each endpoint, with the number of rows of its tables. */
function ledgerRows(day: string): string {
  return dailySources
    .map((source) => {
      const { tables } = flattenOf(source);
      const count = (name: string) =>
        `(select count(*) from warehouse.${name} where org_key = r.org_key and usage_date = ${day})`;
      const pairs = tables.map(({ name }) => `'${name}', ${count(name)}`).join(', ');
      return `select '${source.name}' as endpoint, ${count(tables[0]?.name ?? '')} as row_count, jsonb_build_object(${pairs}) as table_rows`;
    })
    .join('\nunion all\n');
}

function lastStatements({ organizations }: OrganizationsSize): string[] {
  return [
    // A night in a hundred organizations did not succeed.
    `update etl.slice set status = 'failed', error = 'HTTP 500' where usage_date = ${dateOf(3)} and endpoint = 'tools' and org_key % 100 = 7`,
    `update etl.slice set status = 'pending' where usage_date = ${dateOf(1)} and endpoint = 'users' and org_key <= ${Math.ceil(organizations / 50)}`,
  ];
}
