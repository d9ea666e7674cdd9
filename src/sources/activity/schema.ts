/** `/activity`: active users, sessions and messages per day (platform-api.md §2.5). */
import { z } from 'zod';
import { count, name } from '../../model/fields.ts';
import { noGroup } from '../analytics.ts';

export const activityRow = z.object({
  date: name,
  group_key: noGroup,
  daily_active_users: count,
  weekly_active_users: count,
  monthly_active_users: count,
  daily_active_users_by_client: z.record(name, count).nullish(),
  sessions: count,
  messages: count,
  user_messages: count,
});
