/** What the views by day must show. */
import type { Row } from '../expected-warehouse.ts';
import {
  days,
  groups,
  heldDays,
  isActive,
  label,
  mean,
  type Organization,
  ratio,
  shift,
  sum,
  table,
  type Value,
  type World,
} from './figures.ts';

type Rows = readonly Row[];

/** For each view, by its name, the function that computes the rows that it must show of an organization. */
export const dailyViews: Readonly<Record<string, (organization: Organization, world: World) => Rows>> = {
  daily_overview: dailyOverview,
  user_activity: (organization) =>
    table(organization, 'fact_user_daily').map((row) => ({
      ...row,
      user_label: label(organization, row.user_id),
      primary_model: row.primary_model_id ?? null,
      primary_model_tier: row.primary_model_tier ?? null,
      delegation_level: row.delegation_level_code ?? null,
      credits: row.billable_tokens ?? null,
      autonomy_ratio: double(row.autonomy_ratio),
      is_active: String(isActive(row)),
    })),
  user_languages: (organization) =>
    table(organization, 'bridge_user_language_daily').map((row) => ({
      ...row,
      user_label: label(organization, row.user_id),
      language: row.language_name ?? null,
    })),
  credits_by_model: (organization) =>
    table(organization, 'fact_token_model_daily').map((row) => ({
      ...row,
      credits: row.billable_tokens ?? null,
      share_of_day: ratio(row.billable_tokens, creditsOfDay(organization, row)),
    })),
  credits_by_user: (organization) =>
    table(organization, 'fact_token_user_daily').map((row) => ({
      ...row,
      user_label: label(organization, row.user_id),
      credits: row.billable_tokens ?? null,
      share_of_day: ratio(row.billable_tokens, creditsOfDay(organization, row)),
    })),
  credits_by_user_and_model: (organization) =>
    table(organization, 'fact_token_user_model_daily').map((row) => ({
      ...row,
      user_label: label(organization, row.user_id),
      credits: row.billable_tokens ?? null,
    })),
  tool_usage: (organization) =>
    table(organization, 'fact_tool_usage_daily').map((row) => ({
      ...row,
      share_of_day: ratio(row.invocations, ofDay(organization, 'fact_tool_daily', row)?.tool_calls),
    })),
  mcp_server_usage: (organization) =>
    [
      ...groups(table(organization, 'fact_mcp_server_daily'), (row) =>
        JSON.stringify([row.usage_date, row.server_name?.trim().toLowerCase()]),
      ).values(),
    ].map((rows) => ({
      ...rows[0],
      server_name: rows[0]?.server_name?.trim().toLowerCase() ?? null,
      invocations: sum(rows.map((row) => row.invocations)),
      spellings: String(rows.length),
    })),
  skill_usage: (organization) => table(organization, 'fact_skill_daily'),
  slash_command_usage: (organization) => table(organization, 'fact_slash_command_daily'),
  hook_usage: (organization) =>
    table(organization, 'fact_hook_daily').map((row) => ({
      ...row,
      command: [...(row.command ?? '')].slice(0, 200).join(''),
    })),
  autonomy_levels: (organization) =>
    table(organization, 'fact_autonomy_level_daily').map((row) => ({
      ...row,
      autonomy_level: row.level_code ?? null,
      share: double(row.share),
    })),
  adoption_by_client: (organization) =>
    table(organization, 'fact_activity_client_daily').map((row) => ({
      ...row,
      share_of_active_users: ratio(
        row.daily_active_users,
        ofDay(organization, 'fact_activity_daily', row)?.daily_active_users,
      ),
    })),
  productivity_by_language: (organization) =>
    table(organization, 'fact_language_daily').map((row) => ({
      ...row,
      language: row.language_name ?? null,
    })),
  productivity_by_extension: (organization) => table(organization, 'fact_file_extension_daily'),
};

const double = (value: Value | undefined) => ratio(value, '1');

function ofDay(organization: Organization, name: string, { usage_date }: Row): Row | undefined {
  return table(organization, name).find((row) => row.usage_date === usage_date);
}

const creditsOfDay = (organization: Organization, row: Row) =>
  ofDay(organization, 'fact_token_daily', row)?.billable_tokens;

const averaged = [
  'credits',
  'daily_active_users',
  'sessions',
  'tool_calls',
  'git_commits',
  'git_prs_created',
];

/** The rows of `daily_overview`. Those of weeks and months are summed from them. */
export function dailyOverview(organization: Organization, { yesterday }: World): Rows {
  const [first] = heldDays(organization);
  if (first === undefined) return [];
  const rows = days(first, yesterday).map((usage_date): Row => {
    const of = (name: string) => ofDay(organization, name, { usage_date }) ?? {};
    const token = of('fact_token_daily');
    const activity = of('fact_activity_daily');
    const tool = of('fact_tool_daily');
    const tokens = [token.input_tokens, token.cache_read_tokens, token.cache_write_tokens];
    const ratios = ['autonomy_ratio_avg', 'autonomy_ratio_p50', 'autonomy_ratio_p90'];
    const perSession = ['tool_calls_per_session_avg', 'user_turns_per_session_avg'];
    return {
      ...token,
      ...activity,
      ...tool,
      ...of('fact_productivity_daily'),
      ...Object.fromEntries([...ratios, ...perSession].map((name) => [name, double(tool[name])])),
      org_id: organization.org_id,
      usage_date,
      credits: token.billable_tokens ?? null,
      mcp_users: tool.mcp_users_with_mcp ?? null,
      skill_invocations: tool.skills_invocations ?? null,
      slash_command_invocations: tool.slash_commands_invocations ?? null,
      hook_invocations: tool.hooks_invocations ?? null,
      stickiness: ratio(activity.daily_active_users, activity.monthly_active_users),
      cache_hit_ratio: ratio(
        token.cache_read_tokens,
        tokens.some((each) => each == null) ? null : sum(tokens),
      ),
      credits_per_active_user: ratio(token.billable_tokens, activity.daily_active_users),
    };
  });
  const byDay = new Map(rows.map((row) => [row.usage_date ?? '', row]));
  return rows.map((row) => {
    const last7 = days(shift(row.usage_date ?? '', -6), row.usage_date ?? '').map((day) => byDay.get(day));
    return {
      ...row,
      ...Object.fromEntries(
        averaged.map((name) => [`${name}_7d_avg`, mean(last7.map((each) => each?.[name]))]),
      ),
    };
  });
}
