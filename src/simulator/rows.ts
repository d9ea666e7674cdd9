/**
 * Schemas of the rows of the five analytics endpoints (platform-api.md §2.5). The schemas in `src/sources` are separate on
 * purpose: these say exactly what is documented, those accept everything that can be loaded. Tests compare both.
 */
import { z } from 'zod';

/** The resources under `/api/v1/analytics`. */
export const analyticsEndpoints = ['tokens', 'tools', 'activity', 'productivity', 'users'] as const;
export type AnalyticsEndpoint = (typeof analyticsEndpoints)[number];

const date = z.iso.date();
const count = z.int().min(0);
const amount = z.number().min(0);

const modelTokens = z.object({
  model_id: z.string(),
  model_tier: z.string(),
  billable_tokens: amount,
  input_tokens: count,
  output_tokens: count,
});

const userTokens = z.object({
  user_id: z.string(),
  user_email: z.string().nullable(),
  billable_tokens: amount,
  by_model: z.array(modelTokens),
});

const tokenTotals = z.object({
  date,
  billable_tokens: amount,
  input_tokens: count,
  output_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  by_model: z.array(modelTokens),
});

const namedCount = z.object({ name: z.string(), count });

/** Calls of one configured hook; matcher and command may be missing. */
const hookCount = z.object({
  event: z.string(),
  matcher: z.string().optional(),
  command: z.string().optional(),
  count,
});

const toolRow = z.object({
  date,
  tool_calls: count,
  by_tool: z.array(z.object({ tool: z.string(), invocations: count })),
  mcp_users_with_mcp: count,
  mcp_by_server: z.array(z.object({ server: z.string(), invocations: count })),
  skills_invocations: count,
  skills_by_name: z.array(namedCount),
  slash_commands_invocations: count,
  slash_commands_by_name: z.array(namedCount),
  hooks_invocations: count,
  hooks_by_event: z.array(hookCount),
  web_users: count,
  autonomy_ratio_avg: amount,
  autonomy_ratio_p50: amount,
  autonomy_ratio_p90: amount,
  tool_calls_per_session_avg: amount,
  user_turns_per_session_avg: amount,
  tool_autonomy_level_ratio: z.object({
    auto_high: amount,
    auto_medium: amount,
    auto_low: amount,
    manual: amount,
  }),
});

const activityRow = z.object({
  date,
  daily_active_users: count,
  weekly_active_users: count,
  monthly_active_users: count,
  daily_active_users_by_client: z.record(z.string(), count),
  sessions: count,
  messages: count,
  user_messages: count,
});

const productivityRow = z.object({
  date,
  files_created: count,
  files_edited: count,
  by_extension: z.array(z.object({ extension: z.string(), count })),
  by_language: z.array(z.object({ language: z.string(), count })),
  git_commits: count,
  git_prs_created: count,
});

const userRow = z.object({
  user_id: z.string(),
  user_email: z.string().nullable(),
  date,
  tool_calls: count,
  billable_tokens: amount,
  primary_model: z.string(),
  primary_model_tier: z.string(),
  files_created: count,
  files_edited: count,
  git_commits: count,
  git_prs_created: count,
  mcp_calls: count,
  skill_calls: count,
  slash_commands: count,
  hooks: count,
  sessions: count,
  messages: count,
  user_messages: count,
  assistant_messages: count,
  autonomy_ratio: amount,
  delegation_level: z.string(),
  languages: z.array(z.string()),
});

/** A row without `group_by`, by endpoint. */
export const plainRows = {
  tokens: tokenTotals.extend({ by_user: z.array(userTokens) }),
  tools: toolRow,
  activity: activityRow,
  productivity: productivityRow,
  users: userRow,
} as const satisfies Record<AnalyticsEndpoint, z.ZodType>;

const group = { date, group_key: z.string() };

/** A row with `group_by` (§4.2), by endpoint. */
export const groupedRows = {
  tokens: z.object({ ...group, billable_tokens: amount, input_tokens: count, output_tokens: count }),
  tools: z.object({ ...group, tool_calls: count }),
  activity: z.object({ ...group, daily_active_users: count }),
} as const;

export type ModelTokens = z.infer<typeof modelTokens>;
export type UserTokens = z.infer<typeof userTokens>;
export type TokenTotals = z.infer<typeof tokenTotals>;
export type TokenRow = z.infer<typeof plainRows.tokens>;
export type NamedCount = z.infer<typeof namedCount>;
export type HookCount = z.infer<typeof hookCount>;
export type ToolRow = z.infer<typeof toolRow>;
export type ActivityRow = z.infer<typeof activityRow>;
export type ProductivityRow = z.infer<typeof productivityRow>;
export type UserRow = z.infer<typeof userRow>;
