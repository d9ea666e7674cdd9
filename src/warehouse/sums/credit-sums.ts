/**
 * Sums the credits of each team by day and model, because views would have to add millions of rows. A sum may be out
 * of date: views compare its inputs with the current ones and use it only if they are equal, see `etl.summable_day`.
 */
import { sql } from 'kysely';
import type pg from 'pg';
import { type Database, withSession } from '../connection/connection.ts';
import { retryOnConnectionLoss } from '../connection/reconnect.ts';

/** A day with fewer facts for each sum gets no sums: reading them would take as long as reading the facts. */
const usualLeastFacts = 10;

/**
 * Computes the missing and outdated sums of an organization, and removes useless ones. If everything is up to date,
 * it only reads. A day gets no sums if it has fewer than `leastFacts` facts for each. Organizations without teams have
 * no sums. It runs in one transaction with one snapshot; the caller holds the organization's lock. May be repeated.
 */
export async function renewCreditSums(
  pool: pg.Pool,
  orgKey: number,
  signal: AbortSignal,
  leastFacts = usualLeastFacts,
): Promise<void> {
  await retryOnConnectionLoss(pool, signal, () =>
    withSession(pool, async ({ db }) => {
      if (!(await hasTeamsOrSums(db, orgKey))) return;
      await db
        .transaction()
        .setIsolationLevel('repeatable read')
        .execute((transaction) => renew(transaction, orgKey, leastFacts));
    }),
  );
}

async function renew(db: Database, orgKey: number, leastFacts: number): Promise<void> {
  const people = await db
    .selectFrom('etl.people_digest')
    .select(['last_user_key', 'people', 'assignments'])
    .where('org_key', '=', orgKey)
    .executeTakeFirst();
  const { assignments, last_user_key, people: digest } = people ?? {};
  const hasTeams = Number(assignments ?? 0) > 0;
  if (hasTeams && !(await isAnythingToSum(db, orgKey))) return;
  await removeUseless(db, orgKey, hasTeams);
  if (!hasTeams || last_user_key == null || digest == null) return;
  // The remaining sums contain no newer users, so they stay valid.
  await db
    .insertInto('etl.summed_people')
    .values({ org_key: orgKey, last_user_key, people: digest })
    .onConflict((conflict) => conflict.column('org_key').doUpdateSet({ last_user_key, people: digest }))
    .execute();
  await sql`
    insert into etl.summed_credits (org_key, usage_date, model_key, team, department, cost_center, credits)
    select org_key, usage_date, model_key, team, department, cost_center, credits
    from (
      select
        c.*,
        count(*) over of_day as sums,
        sum(c.rows_of_facts) over of_day as facts
      from warehouse.team_consumption as c
      join etl.summable_day as s on s.org_key = c.org_key and s.usage_date = c.usage_date
      where c.org_key = ${orgKey}
        and not c.is_summed
        and not s.is_done
      window of_day as (partition by c.usage_date)
    ) as made
    where facts >= ${leastFacts} * sums
  `.execute(db);
  await sql`
    insert into etl.summed_day (org_key, usage_date, loaded_at, has_sums)
    select
      s.org_key,
      s.usage_date,
      s.loaded_at,
      exists (select from etl.summed_credits as c where c.org_key = s.org_key and c.usage_date = s.usage_date)
    from etl.summable_day as s
    where s.org_key = ${orgKey}
      and not s.is_done
  `.execute(db);
}

/** Two look-ups by key: an organization without teams costs no more. */
async function hasTeamsOrSums(db: Database, orgKey: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from warehouse.person_assignment where org_key = ${orgKey})
      or exists (select from etl.summed_people where org_key = ${orgKey}) as found
  `.execute(db);
  return rows[0]?.found === true;
}

async function isAnythingToSum(db: Database, orgKey: number): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from etl.summable_day where org_key = ${orgKey} and not is_done) as found
  `.execute(db);
  return rows[0]?.found === true;
}

/**
 * Removes the sums of days that were loaded again or removed; all sums if the teams have changed or there are none.
 */
async function removeUseless(db: Database, orgKey: number, hasTeams: boolean): Promise<void> {
  await sql`
    delete from etl.summed_day as d
    where d.org_key = ${orgKey}
      and not (
        ${hasTeams}
        and exists (
          select from etl.summable_day as s
          where s.org_key = d.org_key and s.usage_date = d.usage_date and s.is_done
        )
      )
  `.execute(db);
  await sql`
    delete from etl.summed_credits as c
    where c.org_key = ${orgKey}
      and not exists (
        select from etl.summed_day as d where d.org_key = c.org_key and d.usage_date = c.usage_date
      )
  `.execute(db);
  if (!hasTeams) await db.deleteFrom('etl.summed_people').where('org_key', '=', orgKey).execute();
}
