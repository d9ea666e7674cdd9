/** Days that are read one by one, each in pages. */
import type { Partitioning } from '../../model/partitioning.ts';
import { nextPage } from './cursor-pages.ts';
import { days, requestForDays } from './days.ts';

/**
 * Partitioning by days in pages. Never reads a range of days: the cursor is a user id, but a record is a user's day. If a
 * page ended within the days of a user, the rest of these days would be lost (platform-api.md §4.2).
 */
export function daysInPages(path: string): Partitioning {
  return {
    ...days,
    lanes: 'several',
    plan: ({ days: wanted, isWanted }) => wanted.filter(isWanted).map((day) => [day]),
    first(keys, pageSize) {
      const request = requestForDays(path, keys);
      return { ...request, query: { ...request.query, limit: String(pageSize) } };
    },
    next: nextPage,
  };
}
