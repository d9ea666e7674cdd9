/**
 * The payload rows of the five analytics endpoints (platform-api.md §2.5), as the simulator reads the
 * document. Written apart from the loader's own schemas on purpose: two independent readings that disagree
 * show up in tests, one shared reading never would.
 */
import type { Day } from '../model/day.ts';

/** The resources under `/api/v1/analytics`. */
export const analyticsEndpoints = ['tokens', 'tools', 'activity', 'productivity', 'users'] as const;
export type AnalyticsEndpoint = (typeof analyticsEndpoints)[number];

export interface ModelTokens {
  model_id: string;
  model_tier: string;
  billable_tokens: number;
  input_tokens: number;
  output_tokens: number;
}

export interface UserTokens {
  user_id: string;
  user_email: string | null;
  billable_tokens: number;
  by_model: ModelTokens[];
}

export interface TokenTotals {
  date: Day;
  billable_tokens: number;
  input_tokens: number;
  output_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  by_model: ModelTokens[];
}

export interface TokenRow extends TokenTotals {
  by_user: UserTokens[];
}

export interface NamedCount {
  name: string;
  count: number;
}

/** One configured hook; some hooks have no matcher, some entries name no command. */
export interface HookCount {
  event: string;
  matcher?: string;
  command?: string;
  count: number;
}

export interface ToolRow {
  date: Day;
  tool_calls: number;
  by_tool: { tool: string; invocations: number }[];
  mcp_users_with_mcp: number;
  mcp_by_server: { server: string; invocations: number }[];
  skills_invocations: number;
  skills_by_name: NamedCount[];
  slash_commands_invocations: number;
  slash_commands_by_name: NamedCount[];
  hooks_invocations: number;
  hooks_by_event: HookCount[];
  web_users: number;
  autonomy_ratio_avg: number;
  autonomy_ratio_p50: number;
  autonomy_ratio_p90: number;
  tool_calls_per_session_avg: number;
  user_turns_per_session_avg: number;
  tool_autonomy_level_ratio: { auto_high: number; auto_medium: number; auto_low: number; manual: number };
}

export interface ActivityRow {
  date: Day;
  daily_active_users: number;
  weekly_active_users: number;
  monthly_active_users: number;
  daily_active_users_by_client: Record<string, number>;
  sessions: number;
  messages: number;
  user_messages: number;
}

export interface ProductivityRow {
  date: Day;
  files_created: number;
  files_edited: number;
  by_extension: { extension: string; count: number }[];
  by_language: { language: string; count: number }[];
  git_commits: number;
  git_prs_created: number;
}

export interface UserRow {
  user_id: string;
  user_email: string | null;
  date: Day;
  tool_calls: number;
  billable_tokens: number;
  primary_model: string;
  primary_model_tier: string;
  files_created: number;
  files_edited: number;
  git_commits: number;
  git_prs_created: number;
  mcp_calls: number;
  skill_calls: number;
  slash_commands: number;
  hooks: number;
  sessions: number;
  messages: number;
  user_messages: number;
  assistant_messages: number;
  autonomy_ratio: number;
  delegation_level: string;
  languages: string[];
}
