import type { DailySource } from '../../model/source.ts';
import { factActivityDaily } from '../activity/tables.ts';
import { versions } from '../versions.generated.ts';
import { userRow } from './schema.ts';
import { factUserDaily } from './tables.ts';

/** One `/users` row → the user's day and the languages of that day. */
export const users: DailySource = {
  name: 'users',
  path: '/users',
  slicing: { by: 'day', reading: 'pages', dayField: 'date' },
  duplicates: 'last',
  schema: userRow,
  root: factUserDaily,
  nothingWhere: { table: factActivityDaily, column: 'daily_active_users' },
  version: versions.users,
};
