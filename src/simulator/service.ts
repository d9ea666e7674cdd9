/** The data and settings behind the operations of the simulated platform. */
import type { Clock } from '../model/clock.ts';
import type { ApiKeys } from './access.ts';
import { Problem } from './answer.ts';
import type { Computers } from './computers.ts';
import type { Dataset } from './dataset.ts';
import type { OpenPoints } from './open-points.ts';
import type { ListedReport } from './readiness-reports.ts';
import type { Sessions } from './sessions.ts';
import type { UserLimits } from './user-limits.ts';

export interface Service {
  readonly dataset: Dataset;
  readonly computers: Computers;
  /** Returns all reports that exist at this moment, in any order. */
  readonly reports: () => readonly ListedReport[];
  readonly sessions: Sessions;
  readonly limits: UserLimits;
  readonly organizationId: string;
  readonly clock: Clock;
  readonly apiKeys: ApiKeys;
  readonly points: OpenPoints;
  /** Size of the cache of analytics answers, in bytes. */
  readonly cacheBytes: number;
}

/** The items after `start`; all items if `start` is undefined. `placeOf` returns the index of `start`, or -1. */
export function itemsAfter<Item>(
  items: readonly Item[],
  start: string | undefined,
  placeOf: (start: string) => number,
  { points }: Pick<Service, 'points'>,
  badRequest: number,
): readonly Item[] {
  if (start === undefined) return items;
  const place = placeOf(start);
  if (place >= 0) return items.slice(place + 1);
  if (points['unknown-start'] === 'first') return items;
  if (points['unknown-start'] === 'empty') return [];
  throw new Problem(
    badRequest,
    `expected the start of a page as it was answered, got ${JSON.stringify(start)}`,
  );
}

/** The value. If it is undefined, throws a `Problem` 404 with the name `what`. */
export function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new Problem(404, `there is no ${what}`);
  return value;
}
