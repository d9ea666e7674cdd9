/** A warehouse of ten users of whom some share an e-mail address. */
import { expect } from 'vitest';
import { day } from '../../src/model/day.ts';
import { loadInProcess } from './commands-in-process.ts';
import type { Installation } from './installation.ts';
import { placesOf } from './named-places.ts';

export const [first, second, third] = ['2026-01-14', '2026-01-15', '2026-01-16'] as const;
export const shared = 'team@corp.example';
export const ids = Array.from({ length: 10 }, (_, index) => `planted-${index}`);
export const addressOf = (id: string) => `${id}@home.example`;
export const pseudonym = expect.stringMatching(/^forgotten-[\da-f]{20}$/);

/** Sets the rows of `/users` for a day: `emails` are the e-mail addresses by user id. */
export function reportUsers(
  { dataset }: Installation,
  of: string,
  emails: Readonly<Record<string, string | null>>,
): void {
  dataset.overrideRows(
    'users',
    day(of),
    Object.entries(emails).map(([user_id, user_email], index) => ({
      user_id,
      user_email,
      date: of,
      sessions: index + 1,
      billable_tokens: 10 * (index + 1),
    })),
  );
}

/** Sets the rows of `/tokens` for a day: `emails` are the e-mail addresses by user id. */
export function reportTokens(
  { dataset }: Installation,
  of: string,
  emails: Readonly<Record<string, string | null>>,
): void {
  const by_user = Object.entries(emails).map(([user_id, user_email], index) => ({
    user_id,
    user_email,
    billable_tokens: index + 1,
    by_model: [],
  }));
  dataset.overrideRows('tokens', day(of), [{ date: of, billable_tokens: 55, by_user, by_model: [] }]);
}

export const allWith = (email: (id: string) => string | null) =>
  Object.fromEntries(ids.map((id) => [id, email(id)]));

/** Loads ten users with an address each. On the first day they have one address together, which only `/tokens` reports. */
export async function loadSharedMailbox(installation: Installation): Promise<void> {
  for (const of of [first, second]) {
    reportUsers(installation, of, allWith(addressOf));
    reportTokens(
      installation,
      of,
      allWith((id) => (of === first ? shared : addressOf(id))),
    );
  }
  await loadAll(installation);
}

export const loadAll = (installation: Installation) =>
  loadInProcess(installation, `backfill --from ${first} --to ${third} --endpoints users,tokens --force`);

export const users = async ({ database: { pool } }: Installation) =>
  (
    await pool.query(
      "select user_id, user_email from warehouse.dim_user order by user_id not like 'forgotten-%', user_id",
    )
  ).rows;

export const figures = async ({ database: { pool } }: Installation) =>
  (
    await pool.query(`
      select usage_date::text, count(*), count(distinct user_key), sum(billable_tokens) from warehouse.fact_user_daily group by 1
      union all
      select usage_date::text, count(*), count(distinct user_key), sum(billable_tokens) from warehouse.fact_token_user_daily group by 1
      order by 1, 4`)
  ).rows;

/** The number of places in the archive that contain an address. */
export const archivedWith = async ({ database: { pool } }: Installation, name: string) =>
  (await placesOf(pool, [name])).filter((place) => place.startsWith('archive')).length;
