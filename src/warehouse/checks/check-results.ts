/** Compares figures and stores the results in one statement, so that the figures need not leave the database. */
import { sql } from 'kysely';
import type { DayRange } from '../../model/day.ts';
import type { CheckCounts, Contradiction, Remainder } from '../../model/verification.ts';
import type { Database, Session } from '../connection/connection.ts';

/** A check of one run. */
export interface Check {
  readonly runId: string;
  readonly orgKey: number;
  readonly range: DayRange;
  /** The value of `etl.check_result.check_name`. */
  readonly name: string;
}

/**
 * An SQL `select` of comparisons with the columns `endpoint, usage_date, expected, actual, verdict, detail`. `$1` is the
 * organization's key, `$2` and `$3` are the first and last day; from `$4` on come `parameters`.
 */
export interface Comparisons {
  readonly text: string;
  readonly parameters: readonly unknown[];
}

/** Most contradictions of one check that are stored: a fault of a whole source would bring millions. */
export const mostContradictionsKept = 10_000;

const positionOfOwnParameters = 4;

/**
 * Makes the comparisons of a check. Stores each contradiction, largest difference first, and remainders summed by day and
 * `detail`. Comparisons that agree are only counted (see `recordAgreement`). In the caller's transaction.
 */
export async function recordComparisons(
  { client, db }: Session,
  { runId, orgKey, range, name }: Check,
  { text, parameters }: Comparisons,
): Promise<CheckCounts> {
  const first = positionOfOwnParameters + parameters.length;
  const [run, check, most] = [`$${first}::bigint`, `$${first + 1}::text`, `$${first + 2}::bigint`];
  // The planner has no statistics of a table that was just loaded: it might read the rows of all organizations, or
  // expect too many rows and compile the statement.
  await sql`set local enable_seqscan = off`.execute(db);
  await sql`set local jit = off`.execute(db);
  const { rows } = await client.query<Record<keyof CheckCounts, string>>(
    `with compared as materialized (
      select endpoint::text, usage_date::date, expected::numeric, actual::numeric, verdict::text, detail::text
      from (${withoutSemicolon(text)}
      ) as comparisons
    ),
    contradictions as (
      select
        *,
        row_number() over (order by abs(actual - expected) desc nulls first, usage_date, detail) as position
      from compared
      where verdict = 'contradiction'
    ),
    found (endpoint, usage_date, expected, actual, verdict, detail, position) as (
      select endpoint, usage_date, expected, actual, verdict, detail, position
      from contradictions
      where position <= ${most}
      union all
      select null, null, null, null, 'contradiction', format('%s more that are not listed', count(*) - ${most}), ${most} + 1
      from contradictions
      having count(*) > ${most}
      union all
      select endpoint, usage_date, sum(expected), sum(actual), 'remainder', detail, ${most} + 2
      from compared
      where verdict = 'remainder'
      group by endpoint, usage_date, detail
    ),
    kept as (
      insert into etl.check_result (run_id, org_key, check_name, endpoint, usage_date, expected, actual, verdict, detail)
      select ${run}, $1::integer, ${check}, endpoint, usage_date, expected, actual, verdict, detail
      from found
      order by position, usage_date, detail
    )
    select
      count(*) as compared,
      count(*) filter (where verdict = 'ok') as ok,
      count(*) filter (where verdict = 'remainder') as remainders,
      count(*) filter (where verdict = 'contradiction') as contradictions
    from compared
    where $2::date <= $3::date`,
    [orgKey, range.from, range.to, ...parameters, runId, name, mostContradictionsKept],
  );
  const [counts] = rows;
  return {
    compared: Number(counts?.compared ?? 0),
    ok: Number(counts?.ok ?? 0),
    remainders: Number(counts?.remainders ?? 0),
    contradictions: Number(counts?.contradictions ?? 0),
  };
}

/** Stores contradictions that were not found by SQL. The caller must have sanitized their texts. */
export async function recordContradictions(
  db: Database,
  { runId, orgKey, name }: Check,
  found: readonly Omit<Contradiction, 'check'>[],
): Promise<void> {
  if (found.length === 0) return;
  const column = <Value>(read: (each: Omit<Contradiction, 'check'>) => Value) => found.map(read);
  await sql`
    insert into etl.check_result (run_id, org_key, check_name, endpoint, usage_date, expected, actual, verdict, detail)
    select ${runId}::bigint, ${orgKey}::integer, ${name}::text, endpoint, usage_date, expected, actual, 'contradiction', detail
    from unnest(
      ${column(({ endpoint }) => endpoint)}::text[],
      ${column(({ usage_date }) => usage_date)}::date[],
      ${column(({ expected }) => expected)}::numeric[],
      ${column(({ actual }) => actual)}::numeric[],
      ${column(({ detail }) => detail)}::text[]
    ) as found (endpoint, usage_date, expected, actual, detail)
  `.execute(db);
}

/** Stores one row with the number of comparisons that agree; no row if none agrees. */
export async function recordAgreement(
  db: Database,
  { runId, orgKey, name }: Check,
  { compared, ok }: CheckCounts,
): Promise<void> {
  if (ok === 0) return;
  await db
    .insertInto('etl.check_result')
    .values({
      run_id: runId,
      org_key: orgKey,
      check_name: name,
      verdict: 'ok',
      expected: compared,
      actual: ok,
      detail: 'comparisons that were made, and those that agree',
    })
    .execute();
}

/** The first contradictions that a run stored. */
export async function readContradictions(
  db: Database,
  runId: string,
  limit: number,
): Promise<Contradiction[]> {
  const rows = await db
    .selectFrom('etl.check_result')
    .select(['check_name', 'endpoint', 'usage_date', 'expected', 'actual', 'detail'])
    .where('run_id', '=', runId)
    .where('verdict', '=', 'contradiction')
    .orderBy('check_result_id')
    .limit(limit)
    .execute();
  return rows.map(({ check_name, detail, ...row }) => ({ check: check_name, ...row, detail: detail ?? '' }));
}

/** The remainders that a run found, one entry per check and kind of figure. */
export async function readRemainders(db: Database, runId: string): Promise<Remainder[]> {
  const { rows } = await sql<Omit<Remainder, 'days'> & { days: string }>`
    select
      check_name as "check",
      detail,
      count(distinct usage_date) as days,
      sum(expected)::text as expected,
      sum(expected - actual)::text as unattributed
    from etl.check_result
    where run_id = ${runId}
      and verdict = 'remainder'
    group by
      check_name,
      detail
    order by min(check_result_id)
  `.execute(db);
  return rows.map((row) => ({ ...row, days: Number(row.days) }));
}

function withoutSemicolon(text: string): string {
  return `\n${text.trim().replace(/;$/, '')}`;
}
