/** `/users`: one row per user and day (platform-api.md §2.5). */
import { z } from 'zod';
import { count, credits, filledText, name, optionalText, ratio, textOr } from '../../model/fields.ts';
import { noGroup } from '../analytics.ts';
import { optionalAutonomyLevelCode } from '../autonomy-level.ts';

export const userRow = z.object({
  user_id: name,
  user_email: filledText,
  date: name,
  group_key: noGroup,
  tool_calls: count,
  billable_tokens: credits,
  primary_model: optionalText,
  primary_model_tier: textOr('unknown'),
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
  autonomy_ratio: ratio,
  delegation_level: optionalAutonomyLevelCode,
  languages: z.array(name).nullish(),
});
