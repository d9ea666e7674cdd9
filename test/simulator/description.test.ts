import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openApi } from '../../src/simulator/from-seed.ts';
import { describeOpenPoints, readChoices, usualPort } from '../../src/simulator/open-points.ts';
import { startWholePlatform } from './whole-platform.ts';

const shape = z.object({
  openapi: z.string(),
  servers: z.array(z.unknown()),
  tags: z.array(z.object({ name: z.string(), description: z.string() })),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        parameters: z.array(
          z.looseObject({
            name: z.string(),
            in: z.string(),
            required: z.boolean(),
            schema: z.looseObject({}),
          }),
        ),
        responses: z.record(z.string(), z.looseObject({ content: z.unknown() })),
        tags: z.array(z.string()),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), z.looseObject({})) }).loose(),
});

let described: z.infer<typeof shape>;
beforeAll(() => {
  described = shape.parse(openApi());
});

/** Every operation of platform-api.md §4 with the statuses that it can answer. */
const documented: [string, string, string][] = [
  ...['tokens', 'tools', 'activity', 'productivity', 'users'].map((endpoint): [string, string, string] => [
    `/api/v1/analytics/${endpoint}`,
    'get',
    '200 400 401 403 500',
  ]),
  ['/api/v0/organization/usage/limits/users', 'put', '200 400 401 403 500'],
  ['/api/organization/maturity-level-reports', 'get', '200 400 401 500'],
  ['/api/v0/sessions/{sessionId}/messages', 'get', '200 400 401 404 500'],
  ['/api/v0/sessions/{sessionId}/messages/{messageId}', 'get', '200 400 401 404 500'],
  ['/api/v0/computers', 'post', '201 400 401 409 500'],
  ['/api/v0/computers', 'get', '200 400 401 500'],
  ['/api/v0/computers/{computerId}', 'get', '200 400 401 404 500'],
  ['/api/v0/computers/name/{name}', 'get', '200 400 401 404 500'],
  ['/api/v0/computers/{computerId}', 'patch', '200 400 401 404 409 500'],
  ['/api/v0/computers/{computerId}/install-deps', 'post', '202 400 401 404 500'],
];

describe('the description', () => {
  test('has every documented operation, and no other', () => {
    const there = Object.entries(described.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]) => [
        path,
        method,
        Object.keys(responses).join(' '),
      ]),
    );
    expect(described.openapi).toBe('3.1.0');
    expect(there.toSorted()).toEqual(documented.toSorted());
  });

  test('has every parameter with its bounds', () => {
    const parameters = (path: string, method = 'get') =>
      Object.fromEntries(
        (described.paths[path]?.[method]?.parameters ?? []).map((one) => [
          one.name,
          { in: one.in, required: one.required, ...one.schema },
        ]),
      );
    expect(parameters('/api/v1/analytics/users')).toEqual({
      startDate: { in: 'query', required: true, type: 'string', format: 'date' },
      endDate: { in: 'query', required: true, type: 'string', format: 'date' },
      limit: {
        in: 'query',
        required: false,
        type: 'integer',
        format: 'int64',
        minimum: 1,
        maximum: 100,
        default: 20,
      },
      cursor: { in: 'query', required: false, type: 'string' },
    });
    expect(parameters('/api/v1/analytics/tools').group_by).toMatchObject({ const: 'tool_name' });
    expect(parameters('/api/v1/analytics/productivity')).not.toHaveProperty('group_by');
    expect(parameters('/api/v0/computers/name/{name}').name).toMatchObject({
      in: 'path',
      minLength: 1,
      maxLength: 63,
    });
    expect(parameters('/api/v0/sessions/{sessionId}/messages').role).toMatchObject({
      enum: ['user', 'assistant', 'tool'],
    });
  });

  test('says where it is served, and to which group each operation belongs', () => {
    const { servers, tags, paths } = described;
    expect(servers).toEqual([
      expect.objectContaining({
        url: 'http://127.0.0.1:{port}',
        variables: { port: { default: String(usualPort) } },
      }),
    ]);
    const used = Object.values(paths).flatMap((methods) => Object.values(methods).flatMap((one) => one.tags));
    expect(new Set(used)).toEqual(new Set(tags.map(({ name }) => name)));
    expect(used).toHaveLength(documented.length);
  });

  test('says of problem bodies what analytics and the others have', () => {
    const { Problem, AnalyticsProblem } = described.components.schemas;
    expect(Problem).toMatchObject({ required: ['title', 'detail', 'status'], additionalProperties: false });
    expect(AnalyticsProblem).toMatchObject({ required: ['title', 'detail', 'status', 'requestId'] });
  });

  test('follows the choices', () => {
    const other = shape.parse(
      openApi({ 'bad-request': '422', 'other-roles': 'managers', 'unknown-names': 'refuse' }),
    );
    expect(Object.keys(other.paths['/api/v0/computers']?.get?.responses ?? {})).toEqual([
      '200',
      '401',
      '403',
      '422',
      '500',
    ]);
    expect(other.components.schemas.CreateComputer).toMatchObject({ additionalProperties: false });
    expect(described.components.schemas.CreateComputer).not.toHaveProperty('additionalProperties');
  });
});

describe('whoever calls', () => {
  const filled = (path: string) => path.replaceAll(/\{\w+\}/g, 'x');

  test.each(documented)('%s %s: 401 without a key', async (path, method) => {
    await using platform = await startWholePlatform();
    const headers = { authorization: 'Bearer stranger' };
    const { status, body } = await platform.send(method.toUpperCase(), filled(path), undefined, headers);
    const requestId = path.includes('analytics') ? { requestId: expect.any(String) } : {};
    expect(status).toBe(401);
    expect(body).toEqual({ title: 'Unauthorized', detail: expect.any(String), status: 401, ...requestId });
  });

  test.each(documented)('%s %s: 403 for a member, of analytics always', async (path, method) => {
    await using open = await startWholePlatform({}, 'member');
    await using closed = await startWholePlatform({ 'other-roles': 'managers' }, 'member');
    const statusOf = async (platform: typeof open) =>
      (await platform.send(method.toUpperCase(), filled(path))).status;
    expect((await statusOf(open)) === 403).toBe(path.includes('analytics'));
    expect(await statusOf(closed)).toBe(403);
  });

  test('an undocumented parameter is ignored or refused, as chosen', async () => {
    await using ignoring = await startWholePlatform();
    await using refusing = await startWholePlatform({ 'unknown-names': 'refuse' });
    expect((await ignoring.get('/api/v0/computers?page=2')).status).toBe(200);
    expect((await refusing.get('/api/v0/computers?page=2')).status).toBe(400);
  });

  test('a method that a path does not take is told which it takes', async () => {
    await using platform = await startWholePlatform();
    const response = await fetch(`${platform.url}/api/v0/computers/x`, { method: 'DELETE' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, PATCH']);
  });
});

const rowsOfDays = z.object({ data: z.array(z.object({ date: z.string() })) });

describe('choices of analytics', () => {
  const days = 'startDate=2026-03-01&endDate=2026-03-05';

  test.each([
    ['ascending', (dates: string[]) => dates.toSorted()],
    ['descending', (dates: string[]) => dates.toSorted().reverse()],
  ])('days come %s', async (order, arrange) => {
    await using platform = await startWholePlatform({ 'days-order': order });
    const { body } = await platform.get(`/api/v1/analytics/activity?${days}`);
    const dates = rowsOfDays.parse(body).data.map(({ date }) => date);
    expect(dates).toEqual(arrange(dates));
  });

  test('more days than chosen are refused', async () => {
    await using platform = await startWholePlatform({ 'days-at-most': '4' });
    expect((await platform.get(`/api/v1/analytics/activity?${days}`)).body).toMatchObject({
      detail: '5 days are more than 4 at once',
    });
  });

  test.each([
    ['empty', ''],
    ['repeated', 'user_'],
  ])('the last page of users names a cursor that is %s', async (choice, begin) => {
    await using platform = await startWholePlatform({ 'last-cursor': choice });
    const path = '/api/v1/analytics/users?startDate=2026-03-04&endDate=2026-03-04&limit=100';
    const { body } = await platform.get(path);
    const cursor = begin === '' ? '' : expect.stringContaining(begin);
    expect(body).toMatchObject({ meta: { has_more: false, next_cursor: cursor } });
  });
});

test('choices are words that are checked, with their values told', () => {
  const problems: string[] = [];
  const words = ['reports-order=oldest,reports-page=5', 'time-unit=hours', 'colour=red', 'reports-page='];
  expect(readChoices(words, '--choose', problems)).toEqual({
    'reports-order': 'oldest',
    'reports-page': '5',
  });
  expect(problems).toEqual([
    '--choose: expected time-unit to be milliseconds|seconds, got "hours"',
    expect.stringContaining('got "colour=red"'),
    '--choose: expected reports-page to be 20|1 to 10000, got ""',
  ]);
  expect(describeOpenPoints()).toContain('reports-order=newest|oldest|mixed');
});
