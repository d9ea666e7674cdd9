/** Compares the rows that a program loaded with those of the platform: only the time of a correct load counts. */
import Big from 'big.js';
import { z } from 'zod';
import { type Day, type DayRange, daysOf } from '../../src/model/day.ts';
import type { BenchPlatform } from '../platform.ts';
import type { BenchWarehouse } from '../server.ts';
import type { Contestant } from './contestants.ts';

/** The compared values of a day: number of rows and two sums, as exact decimals. */
export interface DayTotals {
  readonly day: string;
  readonly rows: number;
  readonly sessions: string;
  readonly credits: string;
}

const row = z.object({ sessions: z.number(), billable_tokens: z.number() });
const page = z.object({
  data: z.array(row),
  meta: z.object({ has_more: z.boolean(), next_cursor: z.string().nullish() }),
});

/** Reads all pages of all days from the platform and sums them. */
export async function totalsOfPlatform(
  platform: Pick<BenchPlatform, 'url' | 'apiKey'>,
  days: DayRange,
): Promise<DayTotals[]> {
  const totals: DayTotals[] = [];
  for (const day of daysOf(days)) {
    const rows = await rowsOfDay(platform, day);
    const sum = (of: (row: z.infer<typeof page>['data'][number]) => number) =>
      rows.reduce((total, row) => total.plus(of(row)), new Big(0)).toFixed();
    totals.push({
      day,
      rows: rows.length,
      sessions: sum(({ sessions }) => sessions),
      credits: sum(({ billable_tokens }) => billable_tokens),
    });
  }
  return totals;
}

async function rowsOfDay({ url, apiKey }: Pick<BenchPlatform, 'url' | 'apiKey'>, day: Day) {
  const rows: z.infer<typeof row>[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams({ startDate: day, endDate: day, limit: '100' });
    if (cursor !== undefined) query.set('cursor', cursor);
    const answer = await fetch(`${url}/api/v1/analytics/users?${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { data, meta } = page.parse(await answer.json());
    rows.push(...data);
    cursor = meta.has_more ? (meta.next_cursor ?? undefined) : undefined;
  } while (cursor !== undefined);
  return rows;
}

const stored = z.object({ day: z.string(), rows: z.number(), sessions: z.string(), credits: z.string() });

/** Sums the rows that a program loaded. */
export async function totalsInDatabase(
  warehouse: Pick<BenchWarehouse, 'query'>,
  { userDays }: Pick<Contestant, 'userDays'>,
): Promise<DayTotals[]> {
  const rows = await warehouse.query(`
    select date::date::text as day, count(*)::integer as rows, sum(sessions)::text as sessions,
      sum(billable_tokens::numeric)::text as credits
    from ${userDays} as user_days
    group by 1
    order by 1`);
  return z.array(stored).parse(rows);
}

/** The first day that differs, as a sentence; undefined when all agree. */
export function firstDifference(
  expected: readonly DayTotals[],
  found: readonly DayTotals[],
): string | undefined {
  const foundByDay = new Map(found.map((totals) => [totals.day, totals]));
  for (const totals of expected) {
    const other = foundByDay.get(totals.day);
    if (other === undefined || !areSame(totals, other))
      return `${totals.day}: expected ${textOf(totals)}, found ${other === undefined ? 'nothing' : textOf(other)}`;
    foundByDay.delete(totals.day);
  }
  const [surplus] = foundByDay.values();
  return surplus && `${surplus.day}: expected nothing, found ${textOf(surplus)}`;
}

function areSame(one: DayTotals, other: DayTotals): boolean {
  const sameSum = (a: string, b: string) => new Big(a).eq(b);
  return (
    one.rows === other.rows && sameSum(one.sessions, other.sessions) && sameSum(one.credits, other.credits)
  );
}

function textOf({ rows, sessions, credits }: DayTotals): string {
  return `${rows} rows, ${sessions} sessions, ${credits} credits`;
}
