import { flattener } from '../../model/flatten.ts';
import { rowsOf } from '../../model/record-node.ts';
import { activityRow } from './schema.ts';
import { factActivityClientDaily, factActivityDaily } from './tables.ts';

/** One `/activity` row → the day and its clients. */
export const flattenActivity = flattener(activityRow, factActivityDaily, {
  daily_active_users_by_client: rowsOf(factActivityClientDaily),
});
