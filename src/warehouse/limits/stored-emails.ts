/** E-mail addresses in the audit of credit limits. */
import { sql } from 'kysely';
import type { Database } from '../connection/connection.ts';

/** Puts what `rename` makes of them in the place of all addresses by which limits of an organization are known. */
export async function renameInCreditLimits(
  db: Database,
  orgKey: number,
  rename: (email: string) => string,
): Promise<void> {
  const { rows } = await sql<{ user_email: string }>`
    select user_email from etl.credit_limit_change
    where org_key = ${orgKey} and position('@' in user_email) > 0
    union
    select user_email from warehouse.credit_limit
    where org_key = ${orgKey} and position('@' in user_email) > 0
  `.execute(db);
  for (const { user_email } of rows)
    await sql`select etl.rename_in_credit_limits(${orgKey}, ${user_email}, ${rename(user_email)})`.execute(
      db,
    );
}
