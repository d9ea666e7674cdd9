/**
 * Fills a large warehouse by SQL statements, because a load would take minutes: one organization whose users are active
 * on some days with two models each, and the ledger of its days.
 */

/** The size of the data. */
export interface UsageSize {
  readonly users: number;
  /** Number of days, up to yesterday. */
  readonly days: number;
}

/** A year with 1.44 million user-days, about ten per user and month. */
export const yearOfUsage: UsageSize = { users: 12_000, days: 365 };

/** The user-days. Users work in phases of four weeks: in some they are idle, in all others active on a third of the days. */
const userDays = `
  select
    u.user_key,
    u.number,
    day.usage_date,
    hashint8extended(u.number * 1000003 + day.number, 1) as chance
  from (select user_key, row_number() over (order by user_key) as number from warehouse.dim_user where org_key = 1) as u
  cross join (
    select (now() at time zone 'utc')::date - n as usage_date, n as number from generate_series(1, $days) as n
  ) as day
  where abs(hashint8extended(u.number * 1000003 + day.number, 0) % 1000) <
    case when extract(isodow from day.usage_date) > 5 then 110 else 480 end
    and hashint8extended(u.number * 7919 + day.number / 28, 2) % 10 <> 0`;

const one = (seed: number, most: number) => `abs(hashint8extended(chance, ${seed}) % ${most})`;

/** Statements that fill a migrated, empty warehouse; run them in sequence. */
export function fillStatements({ users, days }: UsageSize): string[] {
  const daily = `generate_series(1, ${days}) as n cross join lateral (select (now() at time zone 'utc')::date - n as usage_date) as day`;
  return [
    `select warehouse.ensure_dates((now() at time zone 'utc')::date - ${days}, (now() at time zone 'utc')::date)`,
    `insert into warehouse.dim_org (org_key, org_id) overriding system value values (1, 'org_bench')`,
    `insert into warehouse.dim_user (org_key, user_id, user_email)
     select 1, 'user_' || lpad(n::text, 8, '0'), 'person' || n || '@example.com' from generate_series(1, ${users}) as n`,
    `insert into warehouse.dim_model (model_id, model_tier)
     select 'model-' || n, tier from generate_series(1, 4) as n, unnest(array['standard', 'thinking']) as tier`,
    `insert into warehouse.dim_language (language_name) select 'Language ' || n from generate_series(1, 12) as n`,
    `insert into warehouse.dim_tool (tool_name) select 'Tool' || n from generate_series(1, 40) as n`,
    `insert into warehouse.dim_skill (skill_name) select 'skill-' || n from generate_series(1, 30) as n`,
    `insert into warehouse.dim_slash_command (command_name) select 'command-' || n from generate_series(1, 30) as n`,
    `insert into warehouse.dim_mcp_server (server_name) select 'Server ' || n from generate_series(1, 20) as n`,
    `insert into warehouse.dim_hook (event, matcher, command)
     select 'PostToolUse', 'Edit', 'npm run check-' || n from generate_series(1, 25) as n`,
    `insert into warehouse.dim_file_extension (extension) select '.x' || n from generate_series(1, 20) as n`,
    `create temporary table user_day on commit preserve rows as ${userDays.replace('$days', String(days))}
     order by usage_date, user_key`,
    `insert into warehouse.fact_user_daily
     select 1, usage_date, user_key, 1 + ${one(3, 8)}, 1 + ${one(4, 5)}, ${one(5, 300)},
       1000 + ${one(6, 900_000)} + 0.25, ${one(7, 9)}, ${one(8, 30)}, ${one(9, 12)}, ${one(10, 4)}, ${one(11, 20)},
       ${one(12, 6)}, ${one(13, 9)}, ${one(14, 7)}, ${one(15, 12)} + 1, ${one(16, 200)} + 2, ${one(17, 60)} + 1,
       ${one(18, 140)} + 1, ${one(19, 100)} / 10.0
     from user_day`,
    `insert into warehouse.bridge_user_language_daily
     select 1, usage_date, user_key, 1 + ${one(20, 6)} from user_day
     union all select 1, usage_date, user_key, 7 + ${one(21, 6)} from user_day where chance % 3 = 0`,
    `insert into warehouse.fact_token_user_model_daily
     select 1, usage_date, user_key, 1 + ${one(22, 4)} + 4 * model, ${one(23, 500_000)} + 0.5, ${one(24, 90_000)}, ${one(25, 9_000)}
     from (
       select usage_date, user_key, chance - chance % 2 + model as chance, model
       from user_day cross join (values (0), (1)) as number_of (model)
     ) as user_model`,
    `insert into warehouse.fact_token_user_daily
     select org_key, usage_date, user_key, sum(billable_tokens) from warehouse.fact_token_user_model_daily group by 1, 2, 3 order by 2, 3`,
    `insert into warehouse.fact_token_model_daily
     select org_key, usage_date, model_key, sum(billable_tokens) + 100, sum(input_tokens), sum(output_tokens)
     from warehouse.fact_token_user_model_daily group by 1, 2, 3 order by 2, 3`,
    `insert into warehouse.fact_token_daily
     select org_key, usage_date, sum(billable_tokens), sum(input_tokens), sum(output_tokens), 3 * sum(input_tokens), sum(input_tokens) / 4
     from warehouse.fact_token_model_daily group by 1, 2 order by 2`,
    `insert into warehouse.fact_activity_daily
     select org_key, usage_date, count(*), 2 * count(*), 3 * count(*), sum(sessions), sum(messages), sum(user_messages)
     from warehouse.fact_user_daily group by 1, 2 order by 2`,
    `insert into warehouse.fact_activity_client_daily
     select org_key, usage_date, client_key, daily_active_users / client_key from warehouse.fact_activity_daily, warehouse.dim_client`,
    `insert into warehouse.fact_productivity_daily
     select org_key, usage_date, sum(files_created), sum(files_edited), sum(git_commits), sum(git_prs_created)
     from warehouse.fact_user_daily group by 1, 2 order by 2`,
    `insert into warehouse.fact_tool_daily
     select org_key, usage_date, sum(tool_calls), count(*) / 3, sum(skill_calls), sum(slash_commands), sum(hooks), count(*) / 5, 4.5, 4, 9, 20, 5
     from warehouse.fact_user_daily group by 1, 2 order by 2`,
    `insert into warehouse.fact_tool_usage_daily select 1, usage_date, tool_key, 1000 + tool_key from ${daily}, warehouse.dim_tool`,
    `insert into warehouse.fact_skill_daily select 1, usage_date, skill_key, 10 + skill_key from ${daily}, warehouse.dim_skill`,
    `insert into warehouse.fact_slash_command_daily select 1, usage_date, slash_command_key, 10 + slash_command_key from ${daily}, warehouse.dim_slash_command`,
    `insert into warehouse.fact_mcp_server_daily select 1, usage_date, mcp_server_key, 10 + mcp_server_key from ${daily}, warehouse.dim_mcp_server`,
    `insert into warehouse.fact_hook_daily select 1, usage_date, hook_key, 10 + hook_key from ${daily}, warehouse.dim_hook`,
    `insert into warehouse.fact_autonomy_level_daily select 1, usage_date, autonomy_level_key, 0.2 from ${daily}, warehouse.dim_autonomy_level`,
    `insert into warehouse.fact_file_extension_daily select 1, usage_date, file_extension_key, 100 from ${daily}, warehouse.dim_file_extension`,
    `insert into warehouse.fact_language_daily select 1, usage_date, language_key, 100 from ${daily}, warehouse.dim_language`,
    `insert into etl.slice (org_key, endpoint, slice_key, usage_date, status, row_count, fetched_at, loaded_at)
     select 1, endpoint, usage_date::text, usage_date, 'loaded', 1, now(), now()
     from ${daily}, unnest(array['tokens', 'tools', 'activity', 'productivity', 'users']) as endpoint`,
    `insert into etl.asked_range select 1, endpoint, min(usage_date) from etl.slice group by endpoint`,
    `insert into warehouse.person_assignment (org_key, user_id, team, department, cost_center, valid_from, valid_to)
     select 1, user_id, 'Team ' || (user_key + half) % 40, 'Department ' || (user_key + half) % 8, 'C' || (user_key + half) % 40,
       case half when 0 then (now() at time zone 'utc')::date - ${days} else (now() at time zone 'utc')::date - ${Math.floor(days / 2)} end,
       case half when 0 then (now() at time zone 'utc')::date - ${Math.floor(days / 2)} - 1 end
     from warehouse.dim_user, generate_series(0, 1) as half where user_key % 10 <> 0`,
    `insert into warehouse.credit_price
     select distinct model_id, '*', 1.5, 'EUR', date '2020-01-01' from warehouse.dim_model where model_id <> 'model-4'`,
    'drop table user_day',
    'vacuum analyze',
  ];
}
