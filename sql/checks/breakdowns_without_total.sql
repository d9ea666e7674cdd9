-- A breakdown comes inside the row that it breaks down, so on a day with breakdown rows the main table of the
-- endpoint has rows too. A breakdown alone is what a half deleted day leaves behind.
with stored as (
  select * from etl.rows_per_day()
)
select
  b.org_key,
  e.endpoint,
  b.usage_date,
  format('%s holds %s rows, but %s has none', b.table_name, b.row_count, pair.total) as detail
from (
  values
    ('fact_token_daily', 'fact_token_model_daily'),
    ('fact_token_daily', 'fact_token_user_daily'),
    ('fact_token_daily', 'fact_token_user_model_daily'),
    ('fact_tool_daily', 'fact_tool_usage_daily'),
    ('fact_tool_daily', 'fact_mcp_server_daily'),
    ('fact_tool_daily', 'fact_skill_daily'),
    ('fact_tool_daily', 'fact_slash_command_daily'),
    ('fact_tool_daily', 'fact_hook_daily'),
    ('fact_tool_daily', 'fact_autonomy_level_daily'),
    ('fact_activity_daily', 'fact_activity_client_daily'),
    ('fact_productivity_daily', 'fact_file_extension_daily'),
    ('fact_productivity_daily', 'fact_language_daily'),
    ('fact_user_daily', 'bridge_user_language_daily')
) as pair (total, breakdown)
join stored as b on b.table_name = pair.breakdown
left join stored as t
  on t.table_name = pair.total
  and t.org_key = b.org_key
  and t.usage_date = b.usage_date
left join etl.table_endpoint as e on e.table_name = b.table_name
where t.table_name is null;
