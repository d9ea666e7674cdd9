import { additive, nonAdditive, reference, table } from '../../model/table.ts';
import { autonomyLevel, hook, mcpServer, skill, slashCommand, tool } from '../dimensions.ts';

/** Grain: organization × day. */
export const factToolDaily = table('fact_tool_daily', {
  measures: [
    ...additive('tool_calls'),
    ...nonAdditive('mcp_users_with_mcp'),
    ...additive('skills_invocations', 'slash_commands_invocations', 'hooks_invocations'),
    ...nonAdditive(
      'web_users',
      'autonomy_ratio_avg',
      'autonomy_ratio_p50',
      'autonomy_ratio_p90',
      'tool_calls_per_session_avg',
      'user_turns_per_session_avg',
    ),
  ],
});

/** Grain: organization × day × tool. */
export const factToolUsageDaily = table('fact_tool_usage_daily', {
  keys: [reference(tool, ['tool'])],
  measures: additive('invocations'),
});

/** Grain: organization × day × MCP server as reported. */
export const factMcpServerDaily = table('fact_mcp_server_daily', {
  keys: [reference(mcpServer, ['server'])],
  measures: additive('invocations'),
});

/** Grain: organization × day × skill. */
export const factSkillDaily = table('fact_skill_daily', {
  keys: [reference(skill, ['name'])],
  measures: additive({ invocations: 'count' }),
});

/** Grain: organization × day × slash command. */
export const factSlashCommandDaily = table('fact_slash_command_daily', {
  keys: [reference(slashCommand, ['name'])],
  measures: additive({ invocations: 'count' }),
});

/** Grain: organization × day × hook (event, matcher, command). */
export const factHookDaily = table('fact_hook_daily', {
  keys: [reference(hook, ['event', 'matcher', 'command'])],
  measures: additive({ invocations: 'count' }),
});

/** Grain: organization × day × autonomy level. */
export const factAutonomyLevelDaily = table('fact_autonomy_level_daily', {
  keys: [reference(autonomyLevel, ['key'])],
  measures: nonAdditive({ share: 'value' }),
});
