/** Reads and checks the query of an analytics request (platform-api.md §4.2, §8). */
import type { Clock } from '../model/clock.ts';
import { type Day, type DayRange, earliestDay, isDay, today } from '../model/day.ts';
import { Problem } from './answer.ts';
import { groupings } from './grouping.ts';

export interface AnalyticsQuery {
  readonly days: DayRange;
  readonly grouped: boolean;
  /** Page size; only `/users` has pages. */
  readonly limit: number;
  readonly cursor: string | undefined;
}

const defaultLimit = 20;
const maxLimit = 100;

/** Throws a `Problem` 400 that names the parameter, what was expected and what came. */
export function readAnalyticsQuery(endpoint: string, query: URLSearchParams, clock: Clock): AnalyticsQuery {
  const days = readDays(query, clock);
  const grouped = readGrouping(endpoint, query.get('group_by'));
  if (endpoint !== 'users') return { days, grouped, limit: defaultLimit, cursor: undefined };
  return { days, grouped, limit: readLimit(query.get('limit')), cursor: query.get('cursor') ?? undefined };
}

/** The days that a request is about, for records of requests; undefined when they are no days. */
export function daysAskedFor(query: URLSearchParams): DayRange | undefined {
  const [from, to] = [query.get('startDate'), query.get('endDate')];
  return from !== null && to !== null && isDay(from) && isDay(to) ? { from, to } : undefined;
}

function readDays(query: URLSearchParams, clock: Clock): DayRange {
  const [from, to] = [readDay(query, 'startDate'), readDay(query, 'endDate')];
  const firstUnserved = today(clock);
  if (to < from) throw new Problem(400, `endDate ${to} is before startDate ${from}`);
  if (from < earliestDay) throw new Problem(400, `startDate ${from} is before the first day, ${earliestDay}`);
  if (to >= firstUnserved)
    throw new Problem(400, `endDate ${to} is not over yet: expected a day before ${firstUnserved} (UTC)`);
  return { from, to };
}

function readDay(query: URLSearchParams, parameter: string): Day {
  const text = query.get(parameter);
  if (text === null) throw new Problem(400, `${parameter} is required`);
  if (isDay(text)) return text;
  throw new Problem(400, `${parameter} must be a date as YYYY-MM-DD, got ${JSON.stringify(text)}`);
}

function readGrouping(endpoint: string, grouping: string | null): boolean {
  if (grouping === null) return false;
  const allowed = groupings[endpoint];
  if (allowed === undefined) throw new Problem(400, `${endpoint} takes no group_by`);
  if (grouping === allowed) return true;
  throw new Problem(400, `group_by must be ${JSON.stringify(allowed)}, got ${JSON.stringify(grouping)}`);
}

function readLimit(text: string | null): number {
  if (text === null) return defaultLimit;
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw new Problem(400, `limit must be an integer from 1 to ${maxLimit}, got ${JSON.stringify(text)}`);
}
