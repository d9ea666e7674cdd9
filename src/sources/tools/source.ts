import type { DailySource } from '../../model/source.ts';
import { rowsOf } from '../../model/table.ts';
import { versions } from '../versions.generated.ts';
import { toolsByName } from './grouping.ts';
import { toolRow } from './schema.ts';
import {
  factAutonomyLevelDaily,
  factHookDaily,
  factMcpServerDaily,
  factSkillDaily,
  factSlashCommandDaily,
  factToolDaily,
  factToolUsageDaily,
} from './tables.ts';

/** One `/tools` row → the day, and one row per tool, server, skill, command, hook and autonomy level. */
export const tools: DailySource = {
  name: 'tools',
  path: '/tools',
  slicing: { by: 'day', reading: 'window', dayField: 'date' },
  duplicates: 'sum',
  schema: toolRow,
  root: rowsOf(factToolDaily, {
    by_tool: rowsOf(factToolUsageDaily),
    mcp_by_server: rowsOf(factMcpServerDaily),
    skills_by_name: rowsOf(factSkillDaily),
    slash_commands_by_name: rowsOf(factSlashCommandDaily),
    hooks_by_event: rowsOf(factHookDaily),
    tool_autonomy_level_ratio: rowsOf(factAutonomyLevelDaily),
  }),
  grouping: toolsByName,
  version: versions.tools,
};
