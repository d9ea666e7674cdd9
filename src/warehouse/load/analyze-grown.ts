/** Tells the planner of tables that a load has made much larger: autovacuum looks only once a minute. */
import type pg from 'pg';
import { withSession } from '../connection/connection.ts';

/** Fewer changed rows mislead no plan for long. */
const leastChanges = 50_000;
/** The part of its rows that has changed since the planner last looked at a table: autovacuum takes the same. */
const leastShare = 0.1;

/**
 * Analyzes the tables of the warehouse and of the ledger of which many rows are new since they were last analyzed, and the
 * tables `changed`, such as `warehouse.person_assignment`, however few of their rows are new; returns their names. It waits for
 * nobody: a table that others analyze or change the shape of is left to them.
 */
export async function analyzeGrown(pool: pg.Pool, changed: readonly string[] = []): Promise<string[]> {
  return withSession(pool, async ({ client }) => {
    const { rows } = await client.query<{ table: string }>(
      `select format('%I.%I', schemaname, relname) as table
      from pg_catalog.pg_stat_user_tables
      where schemaname in ('warehouse', 'etl')
        and (
          n_mod_since_analyze >= greatest($1::float8, $2::float8 * n_live_tup)
          or format('%I.%I', schemaname, relname) = any($3::text[])
        )
        and pg_catalog.pg_has_role((select relowner from pg_catalog.pg_class where oid = relid), 'usage')
      order by 1`,
      [leastChanges, leastShare, changed],
    );
    for (const { table } of rows) await client.query(`analyze (skip_locked) ${table}`);
    return rows.map(({ table }) => table);
  });
}
