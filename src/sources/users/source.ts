import type { Source } from '../../model/source.ts';
import { factActivityDaily } from '../activity/tables.ts';
import { analyticsEnvelope, analyticsPath } from '../analytics.ts';
import { daysInPages } from '../partitioning/days-in-pages.ts';
import { versions } from '../versions.generated.ts';
import { userRow } from './schema.ts';
import { factUserDaily } from './tables.ts';

/** One record of `/users` becomes a row for a user's day, and a row for each language of that day. */
export const users: Source = {
  name: 'users',
  envelope: analyticsEnvelope,
  partitioning: daysInPages(`${analyticsPath}/users`),
  duplicates: 'last',
  schema: userRow,
  root: factUserDaily,
  nothingWhere: { table: factActivityDaily, columns: ['daily_active_users', 'sessions', 'messages'] },
  recordsOfDay: { table: factActivityDaily, column: 'daily_active_users' },
  version: versions.users,
};
