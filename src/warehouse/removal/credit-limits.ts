/**
 * Replaces the e-mails of persons in the tables of credit limits. A trigger on `etl.credit_limit_change` refuses any
 * other change.
 */
import type pg from 'pg';
import { withTransaction } from '../connection/connection.ts';
import type { RemovalRule } from './removal-rule.ts';
import type { StoredColumn } from './stored-column.ts';

/** Whether this column of the credit limits names a person. */
export function isOfCreditLimits({ table, place }: StoredColumn): boolean {
  return (
    ['etl.credit_limit_change', 'warehouse.credit_limit'].includes(table) && place.column === 'user_email'
  );
}

/** Replaces e-mails in the credit limits of the rule's organizations; returns how many were replaced. */
export async function renameInCreditLimits(
  pool: pg.Pool,
  { place }: StoredColumn,
  { orgKeys, rewrite, beforeWriting }: RemovalRule,
): Promise<number> {
  return withTransaction(pool, async ({ client }) => {
    const { rows } = await client.query<{ orgKey: number; value: string }>(
      `select org_key as "orgKey", user_email as value from etl.credit_limit_change where org_key = any($1)
      union
      select org_key, user_email from warehouse.credit_limit where org_key = any($1)`,
      [orgKeys],
    );
    const renamed = rows
      .map((row) => ({ ...row, name: rewrite?.({ ...row, userId: null }, place) ?? row.value }))
      .filter(({ value, name }) => name !== value);
    if (renamed.length > 0) await beforeWriting?.();
    for (const { orgKey, value, name } of renamed)
      await client.query('select etl.rename_in_credit_limits($1, $2, $3)', [orgKey, value, name]);
    return renamed.length;
  });
}
