/** `/tools`: calls of agents per day (platform-api.md §2.5). */
import { z } from 'zod';
import { count, name, ratio, textOr } from '../../model/fields.ts';
import { noGroup } from '../analytics.ts';
import { autonomyLevelCode } from '../autonomy-level.ts';

const namedCount = z.object({ name, count });

export const toolRow = z.object({
  date: name,
  group_key: noGroup,
  tool_calls: count,
  by_tool: z.array(z.object({ tool: name, invocations: count })).nullish(),
  mcp_users_with_mcp: count,
  mcp_by_server: z.array(z.object({ server: name, invocations: count })).nullish(),
  skills_invocations: count,
  skills_by_name: z.array(namedCount).nullish(),
  slash_commands_invocations: count,
  slash_commands_by_name: z.array(namedCount).nullish(),
  hooks_invocations: count,
  // Matcher and command may be missing; they become the empty text.
  hooks_by_event: z
    .array(z.object({ event: textOr(''), matcher: textOr(''), command: textOr(''), count }))
    .nullish(),
  web_users: count,
  autonomy_ratio_avg: ratio,
  autonomy_ratio_p50: ratio,
  autonomy_ratio_p90: ratio,
  tool_calls_per_session_avg: ratio,
  user_turns_per_session_avg: ratio,
  tool_autonomy_level_ratio: z.record(autonomyLevelCode, ratio).nullish(),
});
