import { z } from 'zod';
import { count, name } from '../../model/fields.ts';
import type { Grouping } from '../../model/grouping.ts';
import { factToolUsageDaily } from './tables.ts';

/** `group_by=tool_name`: its figure `tool_calls` is `invocations` in the breakdown (platform-api.md §4.2). */
export const toolsByName: Grouping = {
  groupBy: 'tool_name',
  row: z.object({ date: name, group_key: name, tool_calls: count }),
  table: factToolUsageDaily,
  groupColumn: 'tool_name',
  figures: { invocations: 'tool_calls' },
};
