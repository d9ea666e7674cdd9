/** The analytics resources of the simulated platform (platform-api.md §4.2). */
import { z } from 'zod';
import { type Day, type DayRange, daysOf } from '../model/day.ts';
import { noBody } from '../model/platform/call.ts';
import { requireAnalyticsAccess } from './access.ts';
import { dailyParameters, servedDays, usersParameters } from './analytics-query.ts';
import { jsonAnswer } from './answer.ts';
import { BoundedCache } from './bounded-cache.ts';
import { userIdOf } from './dataset.ts';
import { type Operation, operation } from './operation.ts';
import { hash } from './random.ts';
import { type AnalyticsEndpoint, analyticsEndpoints, groupedRows, plainRows } from './rows.ts';
import type { Service } from './service.ts';
import { usersPage } from './users-page.ts';

/** What an answer depends on besides its endpoint. Together they are its key in the cache. */
interface RowsQuery {
  readonly days: DayRange;
  readonly grouped: boolean;
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

/** `GET /api/v1/analytics/{tokens,tools,activity,productivity,users}`. */
export function analyticsOperations(service: Service): Operation[] {
  const bodies = new BoundedCache<string, Buffer>(service.cacheBytes);
  let version = service.dataset.version;

  function answer(endpoint: string, rowsQuery: RowsQuery, write: () => Buffer) {
    if (version !== service.dataset.version) bodies.clear();
    version = service.dataset.version;
    const key = JSON.stringify([endpoint, rowsQuery]);
    const kept = bodies.get(key);
    const body = kept ?? write();
    if (kept === undefined) bodies.set(key, body, body.length);
    return jsonAnswer(200, body);
  }

  const { apiKeys, clock, points } = service;
  const access = { apiKeys, allow: requireAnalyticsAccess };
  return analyticsEndpoints.map((endpoint) => {
    const common = {
      id: `read-${endpoint}`,
      section: '§4.2',
      summary: `Usage analytics: ${endpoint} per UTC day`,
      method: 'GET',
      path: `/api/v1/analytics/${endpoint}`,
      pathParameters: z.object({}),
      body: noBody,
      refusals: [400, 401, 403, 500],
      badRequest: 400,
      refusesUnknown: points['unknown-names'] === 'refuse',
      isAnalytics: true,
    } as const;
    if (endpoint === 'users')
      return operation(
        { ...common, query: usersParameters, success: answerOfUsers, links: { nextPage: nextPageOfUsers } },
        access,
        ({ query }) => {
          const days = servedDays(query, clock, points['days-at-most']);
          const { limit, cursor } = query;
          const rowsQuery = { days, grouped: false, limit, cursor };
          return answer(endpoint, rowsQuery, () => usersBody(service, days, cursor, limit));
        },
      );
    return operation(
      { ...common, query: dailyParameters(endpoint), success: dailyAnswers[endpoint] },
      access,
      ({ query }) => {
        const days = servedDays(query, clock, points['days-at-most']);
        const rowsQuery = { days, grouped: query.group_by !== undefined };
        return answer(endpoint, rowsQuery, () => dailyBody(service, endpoint, rowsQuery));
      },
    );
  });
}

const meta = z.object({ org_id: z.string(), start_date: z.iso.date(), end_date: z.iso.date() });

/** The description of an answer: one nested object per day or, with `group_by`, one flat row per day and group. */
function dailyAnswer(name: string, plain: z.ZodType, grouped?: z.ZodType) {
  const data = grouped === undefined ? z.array(plain) : z.union([z.array(plain), z.array(grouped)]);
  return { name, schema: z.object({ data, meta }), status: 200 };
}

const dailyAnswers = {
  tokens: dailyAnswer('Tokens', plainRows.tokens, groupedRows.tokens),
  tools: dailyAnswer('Tools', plainRows.tools, groupedRows.tools),
  activity: dailyAnswer('Activity', plainRows.activity, groupedRows.activity),
  productivity: dailyAnswer('Productivity', plainRows.productivity),
} as const satisfies Record<Exclude<AnalyticsEndpoint, 'users'>, unknown>;

const answerOfUsers = {
  name: 'Users',
  schema: z.object({
    data: z.array(plainRows.users),
    meta: meta.extend({ has_more: z.boolean(), next_cursor: z.string().optional() }),
  }),
  status: 200,
};

const nextPageOfUsers = {
  operationId: 'read-users',
  parameters: {
    startDate: '$request.query.startDate',
    endDate: '$request.query.endDate',
    cursor: '$response.body#/meta/next_cursor',
  },
};

function usersBody(service: Service, days: DayRange, cursor: string | undefined, limit: number): Buffer {
  const { dataset, points } = service;
  const { rows, nextCursor } = usersPage(dataset, daysOf(days), cursor, limit);
  const last = { absent: undefined, empty: '', repeated: userIdOf(rows.at(-1)) }[points['last-cursor']];
  const hasMore = nextCursor !== undefined;
  const meta = { ...metaOf(service, days), has_more: hasMore, next_cursor: hasMore ? nextCursor : last };
  return Buffer.from(JSON.stringify({ data: rows, meta }));
}

/** The body of an answer. It is written day by day: all days of a large organization may not fit into one string. */
function dailyBody(service: Service, endpoint: string, { days, grouped }: RowsQuery): Buffer {
  const { dataset } = service;
  const parts: Buffer[] = [];
  for (const day of ordered(daysOf(days), service.points['days-order'])) {
    const rows = grouped ? dataset.groupedRows(endpoint, day) : dataset.rows(endpoint, day);
    if (rows.length > 0) parts.push(Buffer.from(JSON.stringify(rows).slice(1, -1)));
  }
  const comma = Buffer.from(',');
  return Buffer.concat([
    Buffer.from('{"data":['),
    ...parts.flatMap((part, index) => (index === 0 ? [part] : [comma, part])),
    Buffer.from(`],"meta":${JSON.stringify(metaOf(service, days))}}`),
  ]);
}

function metaOf({ organizationId }: Service, days: DayRange) {
  return { org_id: organizationId, start_date: days.from, end_date: days.to };
}

function ordered(days: readonly Day[], order: 'mixed' | 'ascending' | 'descending'): readonly Day[] {
  if (order === 'ascending') return days;
  if (order === 'descending') return days.toReversed();
  const rank = (day: Day) => hash(days.length, Number(day.replaceAll('-', '')), 0);
  return days.toSorted((left, right) => rank(left) - rank(right));
}
