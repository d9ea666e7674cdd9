/** The analytics resources of the simulated platform (platform-api.md §4.2). */
import type { Clock } from '../model/clock.ts';
import { type Day, daysOf } from '../model/day.ts';
import { type ApiKeys, requireAnalyticsAccess } from './access.ts';
import { type AnalyticsQuery, readAnalyticsQuery } from './analytics-query.ts';
import { jsonAnswer } from './answer.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { Dataset } from './dataset.ts';
import { hash } from './random.ts';
import type { Route } from './routing.ts';
import { analyticsEndpoints } from './rows.ts';
import { usersPage } from './users-page.ts';

export interface AnalyticsService {
  readonly dataset: Dataset;
  readonly organizationId: string;
  readonly clock: Clock;
  readonly apiKeys: ApiKeys;
  /** How many bytes of answers are kept to be sent again. */
  readonly cacheBytes: number;
}

/** `GET /api/v1/analytics/{tokens,tools,activity,productivity,users}`. */
export function analyticsRoutes(service: AnalyticsService): Route[] {
  const bodies = new BoundedCache<string, Buffer>(service.cacheBytes);
  let version = service.dataset.version;

  function bodyOf(endpoint: string, query: AnalyticsQuery): Buffer {
    if (version !== service.dataset.version) bodies.clear();
    version = service.dataset.version;
    const { days, grouped, limit, cursor } = query;
    const key = JSON.stringify([endpoint, days.from, days.to, grouped, limit, cursor]);
    const kept = bodies.get(key);
    if (kept !== undefined) return kept;
    const body = endpoint === 'users' ? usersBody(service, query) : dailyBody(service, endpoint, query);
    bodies.set(key, body, body.length);
    return body;
  }

  return analyticsEndpoints.map((endpoint) => ({
    path: `/api/v1/analytics/${endpoint}`,
    methods: {
      GET: ({ query, authorization }) => {
        requireAnalyticsAccess(service.apiKeys, authorization);
        return jsonAnswer(200, bodyOf(endpoint, readAnalyticsQuery(endpoint, query, service.clock)));
      },
    },
  }));
}

function usersBody({ dataset, organizationId }: AnalyticsService, query: AnalyticsQuery): Buffer {
  const { rows, nextCursor } = usersPage(dataset, daysOf(query.days), query.cursor, query.limit);
  const meta = {
    ...metaOf(organizationId, query),
    has_more: nextCursor !== undefined,
    next_cursor: nextCursor,
  };
  return Buffer.from(JSON.stringify({ data: rows, meta }));
}

/** Written day by day: all days of a large organization may not fit into one string. */
function dailyBody(service: AnalyticsService, endpoint: string, query: AnalyticsQuery): Buffer {
  const { dataset, organizationId } = service;
  const parts: Buffer[] = [];
  for (const day of shuffled(daysOf(query.days))) {
    const rows = query.grouped ? dataset.groupedRows(endpoint, day) : dataset.rows(endpoint, day);
    if (rows.length > 0) parts.push(Buffer.from(JSON.stringify(rows).slice(1, -1)));
  }
  const comma = Buffer.from(',');
  return Buffer.concat([
    Buffer.from('{"data":['),
    ...parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])),
    Buffer.from(`],"meta":${JSON.stringify(metaOf(organizationId, query))}}`),
  ]);
}

function metaOf(organizationId: string, { days }: AnalyticsQuery) {
  return { org_id: organizationId, start_date: days.from, end_date: days.to };
}

/** The document does not say in which order days come (§4.2 rule 4): a client must not rely on any. */
function shuffled(days: readonly Day[]): Day[] {
  const rank = (day: Day) => hash(days.length, Number(day.replaceAll('-', '')), 0);
  return days.toSorted((left, right) => rank(left) - rank(right));
}
