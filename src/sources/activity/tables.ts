import { additive, reference, rowsOf, table, values } from '../../model/table.ts';
import { client } from '../dimensions.ts';

/** Grain: organization × day × client. A user of two clients counts in both. */
export const factActivityClientDaily = table('fact_activity_client_daily', {
  keys: [reference(client, ['key'])],
  columns: values({ daily_active_users: 'value' }),
});

/** Grain: organization × day. */
export const factActivityDaily = table('fact_activity_daily', {
  columns: [
    ...values('daily_active_users', 'weekly_active_users', 'monthly_active_users'),
    ...additive('sessions', 'messages', 'user_messages'),
  ],
  below: [rowsOf('daily_active_users_by_client', factActivityClientDaily)],
});
