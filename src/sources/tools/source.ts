import type { Source } from '../../model/source.ts';
import { analyticsEnvelope, analyticsPath } from '../analytics.ts';
import { daysInWindows } from '../partitioning/days-in-windows.ts';
import { versions } from '../versions.generated.ts';
import { toolsByName } from './grouping.ts';
import { toolRow } from './schema.ts';
import { factToolDaily } from './tables.ts';

/** One record of `/tools` becomes a row for the day, and for each tool, server, skill, command, hook and autonomy level. */
export const tools: Source = {
  name: 'tools',
  envelope: analyticsEnvelope,
  partitioning: daysInWindows(`${analyticsPath}/tools`),
  duplicates: 'sum',
  schema: toolRow,
  root: factToolDaily,
  grouping: toolsByName,
  version: versions.tools,
};
