import { z } from 'zod';
import { count, name } from '../../model/fields.ts';
import type { Grouping } from '../../model/grouping.ts';
import { factActivityClientDaily } from './tables.ts';

/** `group_by=client`: active users of each client (platform-api.md §4.2). */
export const activityByClient: Grouping = {
  groupBy: 'client',
  row: z.object({ date: name, group_key: name, daily_active_users: count }),
  table: factActivityClientDaily,
  groupColumn: 'client_type',
  figures: { daily_active_users: 'daily_active_users' },
};
