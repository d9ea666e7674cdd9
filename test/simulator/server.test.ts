import { describe, expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { groupRows } from '../../src/simulator/grouping.ts';
import { between, envelopeOf, organizationId, startPlatform } from './platform.ts';

const oneDay = between('2026-03-04', '2026-03-04');

describe('answers', () => {
  test.each(['tokens', 'tools', 'activity', 'productivity'])(
    '/%s has one row for each day, in no promised order',
    async (endpoint) => {
      await using platform = await startPlatform();
      const response = await platform.get(`${endpoint}?${between('2026-02-23', '2026-03-02')}`);
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('application/json');
      const envelope = await envelopeOf(response);
      expect(envelope.meta).toEqual({
        org_id: organizationId,
        start_date: '2026-02-23',
        end_date: '2026-03-02',
      });
      const dates = envelope.data.map((row) => row.date);
      expect(dates.toSorted()).toEqual([
        '2026-02-23',
        '2026-02-24',
        '2026-02-25',
        '2026-02-26',
        '2026-02-27',
        '2026-02-28',
        '2026-03-01',
        '2026-03-02',
      ]);
      expect(dates).not.toEqual(dates.toSorted());
      for (const row of envelope.data)
        expect([row]).toEqual(JSON.parse(JSON.stringify(platform.dataset.rows(endpoint, day(row.date)))));
    },
  );

  test.each([
    ['tokens', 'model', 'by_model'],
    ['tools', 'tool_name', 'by_tool'],
    ['activity', 'client', 'daily_active_users_by_client'],
  ])('/%s with group_by=%s flattens %s', async (endpoint, groupBy) => {
    await using platform = await startPlatform();
    const response = await platform.get(`${endpoint}?${oneDay}&group_by=${groupBy}`);
    const { data } = await envelopeOf(response);
    expect(data.length).toBeGreaterThan(1);
    expect(data).toEqual(groupRows(endpoint, platform.dataset.rows(endpoint, day('2026-03-04'))));
  });

  test('a group of /tokens is a model with all its tiers', async () => {
    await using platform = await startPlatform();
    const { data } = await envelopeOf(await platform.get(`tokens?${oneDay}&group_by=model`));
    const models = data.map((row) => row.group_key);
    expect(new Set(models).size).toBe(models.length);
    const total = platform.generator.tokenTotals(day('2026-03-04'))?.billable_tokens ?? Number.NaN;
    const sum = data.reduce((left, row) => left + Number(row.billable_tokens), 0);
    expect(sum).toBeCloseTo(total, 2);
    expect(Object.keys(data[0] ?? {})).toEqual([
      'date',
      'group_key',
      'billable_tokens',
      'input_tokens',
      'output_tokens',
    ]);
  });

  test('the same request is answered with the same bytes until the data changes', async () => {
    await using platform = await startPlatform();
    const read = async () => await (await platform.get(`tools?${oneDay}`)).text();
    const before = await read();
    expect(await read()).toBe(before);
    platform.dataset.overrideRows('tools', day('2026-03-04'), [{ date: '2026-03-04', tool_calls: 0 }]);
    expect(JSON.parse(await read()).data).toEqual([{ date: '2026-03-04', tool_calls: 0 }]);
    platform.dataset.overrideRows('tools', day('2026-03-04'), undefined);
    expect(await read()).toBe(before);
  });

  test('requests and what was answered are on record', async () => {
    await using platform = await startPlatform();
    await (await platform.get(`tools?${oneDay}`)).text();
    await (await platform.get('tools')).text();
    expect(platform.simulator.requests).toMatchObject([
      {
        number: 1,
        method: 'GET',
        path: '/api/v1/analytics/tools',
        query: { startDate: '2026-03-04', endDate: '2026-03-04' },
        days: { from: '2026-03-04', to: '2026-03-04' },
        status: 200,
      },
      { number: 2, days: undefined, status: 400 },
    ]);
    expect(platform.simulator.counts).toMatchObject({
      requests: 2,
      byPath: { '/api/v1/analytics/tools': 2 },
      byStatus: { 200: 1, 400: 1 },
      maxInFlight: 1,
    });
  });
});

describe('refusals', () => {
  test.each([
    ['tokens', 'startDate is required'],
    ['tokens?startDate=2026-03-01', 'endDate is required'],
    [`tokens?${between('2026-3-1', '2026-03-02')}`, 'startDate must be a date as YYYY-MM-DD, got "2026-3-1"'],
    [
      `tokens?${between('2026-02-01', '2026-02-30')}`,
      'endDate must be a date as YYYY-MM-DD, got "2026-02-30"',
    ],
    [`tokens?${between('2026-03-02', '2026-03-01')}`, 'endDate 2026-03-01 is before startDate 2026-03-02'],
    [
      `tokens?${between('2026-01-13', '2026-02-01')}`,
      'startDate 2026-01-13 is before the first day, 2026-01-14',
    ],
    [
      `tokens?${between('2026-03-01', '2026-03-10')}`,
      'endDate 2026-03-10 is not over yet: expected a day before 2026-03-10 (UTC)',
    ],
    [
      `tokens?${between('2026-03-11', '2026-03-12')}`,
      'endDate 2026-03-12 is not over yet: expected a day before 2026-03-10 (UTC)',
    ],
    [`tokens?${oneDay}&group_by=user`, 'group_by must be "model", got "user"'],
    [`tools?${oneDay}&group_by=model`, 'group_by must be "tool_name", got "model"'],
    [`productivity?${oneDay}&group_by=model`, 'productivity takes no group_by'],
    [`users?${oneDay}&group_by=model`, 'users takes no group_by'],
    [`users?${oneDay}&limit=0`, 'limit must be an integer from 1 to 100, got "0"'],
    [`users?${oneDay}&limit=101`, 'limit must be an integer from 1 to 100, got "101"'],
    [`users?${oneDay}&limit=2.5`, 'limit must be an integer from 1 to 100, got "2.5"'],
    [`users?${oneDay}&limit=`, 'limit must be an integer from 1 to 100, got ""'],
  ])('%s is a bad request', async (target, detail) => {
    await using platform = await startPlatform();
    const response = await platform.get(target);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      title: 'Bad Request',
      detail,
      status: 400,
      requestId: expect.stringMatching(/^req_\d+$/),
    });
  });

  test('yesterday in UTC is served', async () => {
    await using platform = await startPlatform();
    expect((await platform.get(`tokens?${between('2026-03-09', '2026-03-09')}`)).status).toBe(200);
  });

  test.each([undefined, 'Bearer ', 'Basic owner', 'Bearer stranger', 'Bearer toString', 'owner'])(
    'the credential %o is unknown',
    async (authorization) => {
      await using platform = await startPlatform();
      const headers = authorization === undefined ? {} : { authorization };
      const response = await platform.get(`tokens?${oneDay}`, { headers });
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ title: 'Unauthorized', status: 401 });
    },
  );

  test.each([
    ['owner', 200],
    ['manager', 200],
    ['member', 403],
    ['guest', 403],
  ])('a %s gets %i', async (role, status) => {
    await using platform = await startPlatform();
    const response = await platform.get(`users?${oneDay}`, { headers: { authorization: `Bearer ${role}` } });
    expect(response.status).toBe(status);
  });

  test('an unknown path is not found, and other methods than GET are not allowed', async () => {
    await using platform = await startPlatform();
    expect(await (await platform.get('sessions')).json()).toMatchObject({ title: 'Not Found', status: 404 });
    const posted = await platform.get('tokens', { method: 'POST', body: '{}' });
    expect(posted.headers.get('allow')).toBe('GET');
    expect(await posted.json()).toMatchObject({ title: 'Method Not Allowed', status: 405 });
  });
});
