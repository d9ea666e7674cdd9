/** The credits that users consumed, from the queries in `sql/queries`. */
import type { DayRange } from '../../model/day.ts';
import type { Session } from '../connection/connection.ts';
import { readQuery } from '../sql-files.ts';

/** Credits of a range of days. */
export interface UsedCredits {
  /** Every known user, with the credits as exact decimal text; null for a user without credits. */
  readonly users: readonly { readonly email: string | null; readonly credits: string | null }[];
  /** Number of days of the range that are held. */
  readonly daysHeld: number;
}

/** Reads the credits of all users in a range of days. */
export async function readUsedCredits(
  { client }: Session,
  orgKey: number,
  { from, to }: DayRange,
): Promise<UsedCredits> {
  const values = [orgKey, from, to];
  const { rows } = await client.query<{ user_email: string | null; credits: string | null }>(
    readQuery('credits_of_users'),
    values,
  );
  const { rows: held } = await client.query<{ days: number }>(readQuery('days_with_credits'), values);
  return {
    users: rows.map(({ user_email, credits }) => ({ email: user_email, credits })),
    daysHeld: held[0]?.days ?? 0,
  };
}
