import { additive, reference, rowsOf, table, values } from '../../model/table.ts';
import { autonomyLevel, hook, mcpServer, skill, slashCommand, tool } from '../dimensions.ts';

/** Grain: organization × day × tool. */
export const factToolUsageDaily = table('fact_tool_usage_daily', {
  keys: [reference(tool, ['tool'])],
  columns: additive('invocations'),
});

/** Grain: organization × day × MCP server as reported. */
const factMcpServerDaily = table('fact_mcp_server_daily', {
  keys: [reference(mcpServer, ['server'])],
  columns: additive('invocations'),
});

/** Grain: organization × day × skill. */
const factSkillDaily = table('fact_skill_daily', {
  keys: [reference(skill, ['name'])],
  columns: additive({ invocations: 'count' }),
});

/** Grain: organization × day × slash command. */
const factSlashCommandDaily = table('fact_slash_command_daily', {
  keys: [reference(slashCommand, ['name'])],
  columns: additive({ invocations: 'count' }),
});

/** Grain: organization × day × hook (event, matcher, command). */
const factHookDaily = table('fact_hook_daily', {
  keys: [reference(hook, ['event', 'matcher', 'command'])],
  columns: additive({ invocations: 'count' }),
});

/** Grain: organization × day × autonomy level. */
const factAutonomyLevelDaily = table('fact_autonomy_level_daily', {
  keys: [reference(autonomyLevel, ['key'])],
  columns: values({ share: 'value' }),
});

/** Grain: organization × day. */
export const factToolDaily = table('fact_tool_daily', {
  columns: [
    ...additive('tool_calls'),
    ...values('mcp_users_with_mcp'),
    ...additive('skills_invocations', 'slash_commands_invocations', 'hooks_invocations'),
    ...values(
      'web_users',
      'autonomy_ratio_avg',
      'autonomy_ratio_p50',
      'autonomy_ratio_p90',
      'tool_calls_per_session_avg',
      'user_turns_per_session_avg',
    ),
  ],
  below: [
    rowsOf('by_tool', factToolUsageDaily),
    rowsOf('mcp_by_server', factMcpServerDaily),
    rowsOf('skills_by_name', factSkillDaily),
    rowsOf('slash_commands_by_name', factSlashCommandDaily),
    rowsOf('hooks_by_event', factHookDaily),
    rowsOf('tool_autonomy_level_ratio', factAutonomyLevelDaily),
  ],
});
