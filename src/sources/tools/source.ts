import type { DailySource } from '../../model/source.ts';
import { versions } from '../versions.generated.ts';
import { toolsByName } from './grouping.ts';
import { toolRow } from './schema.ts';
import { factToolDaily } from './tables.ts';

/** One `/tools` row → the day, and one row per tool, server, skill, command, hook and autonomy level. */
export const tools: DailySource = {
  name: 'tools',
  path: '/tools',
  slicing: { by: 'day', reading: 'window', dayField: 'date' },
  duplicates: 'sum',
  schema: toolRow,
  root: factToolDaily,
  grouping: toolsByName,
  version: versions.tools,
};
