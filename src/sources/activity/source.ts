import type { Source } from '../../model/source.ts';
import { analyticsEnvelope, analyticsPath } from '../analytics.ts';
import { daysInWindows } from '../partitioning/days-in-windows.ts';
import { versions } from '../versions.generated.ts';
import { activityByClient } from './grouping.ts';
import { activityRow } from './schema.ts';
import { factActivityDaily } from './tables.ts';

/** One record of `/activity` becomes a row for the day, and a row for each client. */
export const activity: Source = {
  name: 'activity',
  envelope: analyticsEnvelope,
  partitioning: daysInWindows(`${analyticsPath}/activity`),
  duplicates: 'sum',
  schema: activityRow,
  root: factActivityDaily,
  grouping: activityByClient,
  version: versions.activity,
};
