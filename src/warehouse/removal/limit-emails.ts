/** E-mail addresses in the audit of credit limits. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** Puts what `rename` makes of them in the place of the addresses by which limits of an organization are known; returns how many there were. */
export async function renameInCreditLimits(
  db: Database,
  orgKey: number,
  rename: (email: string) => string,
): Promise<number> {
  const { rows } = await sql<{ user_email: string }>`
    select user_email from etl.credit_limit_change
    where org_key = ${orgKey} and position('@' in user_email) > 0
    union
    select user_email from warehouse.credit_limit
    where org_key = ${orgKey} and position('@' in user_email) > 0
  `.execute(db);
  let count = 0;
  for (const { user_email } of rows) {
    const renamed = rename(user_email);
    if (renamed === user_email) continue;
    await sql`select etl.rename_in_credit_limits(${orgKey}, ${user_email}, ${renamed})`.execute(db);
    count += 1;
  }
  return count;
}
