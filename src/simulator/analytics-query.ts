/**
 * The query of an analytics request: its schema, and the rules that no schema can express (platform-api.md §4.2, §8).
 */
import { z } from 'zod';
import type { Clock } from '../model/clock.ts';
import { type DayRange, day, daysBetween, earliestDay, isDay, today } from '../model/day.ts';
import { Problem } from './answer.ts';
import { groupings } from './grouping.ts';
import { pageSize } from './page-size.ts';

export interface AnalyticsQuery {
  readonly days: DayRange;
  readonly grouped: boolean;
  /** Page size; only `/users` has pages. */
  readonly limit: number;
  readonly cursor: string | undefined;
}

const dayParameter = (name: string, description: string) =>
  z
    .string({ error: `${name} is required` })
    .refine(isDay, {
      error: ({ input }) => `${name} must be a date as YYYY-MM-DD, got ${JSON.stringify(input)}`,
    })
    .meta({ format: 'date', description });

/** The parameters of an endpoint without pages. */
export function dailyParameters(endpoint: string) {
  return z.object({
    startDate: dayParameter('startDate', `The first day, UTC; not before ${earliestDay}`),
    endDate: dayParameter('endDate', 'The last day, UTC; not before the first, and over'),
    group_by: groupingParameter(endpoint),
  });
}

/** The parameters of `/users`. */
export const usersParameters = dailyParameters('users').extend({
  limit: pageSize,
  cursor: z.string().optional(),
});

function groupingParameter(endpoint: string) {
  const allowed = groupings[endpoint];
  if (allowed === undefined) return z.never({ error: `${endpoint} takes no group_by` }).optional();
  const error = ({ input }: { input?: unknown }) =>
    `group_by must be ${JSON.stringify(allowed)}, got ${JSON.stringify(input)}`;
  return z.literal(allowed, { error }).optional();
}

/** Throws a `Problem` 400 for days that the platform does not serve. */
export function servedDays(
  { startDate, endDate }: { readonly startDate: string; readonly endDate: string },
  clock: Clock,
  atMost: number,
): DayRange {
  const [from, to] = [day(startDate), day(endDate)];
  const firstUnserved = today(clock);
  if (to < from) throw new Problem(400, `endDate ${to} is before startDate ${from}`);
  if (from < earliestDay) throw new Problem(400, `startDate ${from} is before the first day, ${earliestDay}`);
  if (to >= firstUnserved)
    throw new Problem(400, `endDate ${to} is not over yet: expected a day before ${firstUnserved} (UTC)`);
  const span = daysBetween(from, to) + 1;
  if (atMost > 0 && span > atMost) throw new Problem(400, `${span} days are more than ${atMost} at once`);
  return { from, to };
}

/** The days that a query asks for; undefined when they are invalid. */
export function daysAskedFor(query: URLSearchParams): DayRange | undefined {
  const [from, to] = [query.get('startDate'), query.get('endDate')];
  return from !== null && to !== null && isDay(from) && isDay(to) ? { from, to } : undefined;
}
