/** Data without history: a slice is the UTC day of its reading. */
import { day, isDay } from '../../model/day.ts';
import type { Partitioning, Request } from '../../model/partitioning.ts';

/**
 * Partitioning by snapshots. A second reading on the same day replaces the first; a day without a reading is lost.
 * `details` are optional parameters of the query: when the platform refuses them, they are left out.
 */
export function snapshotOfToday(request: Request, details: Request['query'] = {}): Partitioning {
  const detailed = { ...request, query: { ...request.query, ...details } };
  return {
    kind: 'snapshot',
    scope: { snapshot_date: 'usage_date' },
    dayOf: day,
    isKey: isDay,
    withoutRecords: 'believed',
    lanes: 'one',
    plan: ({ today }) => [[today]],
    first: () => detailed,
    whenRefused: ({ query }) => (Object.keys(details).some((name) => name in query) ? request : undefined),
    next: () => undefined,
  };
}
