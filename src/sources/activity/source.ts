import type { DailySource } from '../../model/source.ts';
import { versions } from '../versions.generated.ts';
import { activityByClient } from './grouping.ts';
import { activityRow } from './schema.ts';
import { factActivityDaily } from './tables.ts';

/** One `/activity` row → the day and its clients. */
export const activity: DailySource = {
  name: 'activity',
  path: '/activity',
  slicing: { by: 'day', reading: 'window', dayField: 'date' },
  duplicates: 'sum',
  schema: activityRow,
  root: factActivityDaily,
  grouping: activityByClient,
  version: versions.activity,
};
