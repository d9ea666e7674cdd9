import { describe, expect, test } from 'vitest';
import { type ReadinessReport, readinessReports } from '../../src/sources/readiness/schema.ts';
import { bodyAs, startWholePlatform } from './whole-platform.ts';

const list = '/api/organization/maturity-level-reports';
type Platform = Awaited<ReturnType<typeof startWholePlatform>>;

/** All reports, read page by page as the document says. */
async function readAll(platform: Platform, limit?: number): Promise<ReadinessReport[]> {
  const all: ReadinessReport[] = [];
  for (;;) {
    const query = new URLSearchParams();
    if (limit !== undefined) query.set('limit', String(limit));
    const last = all.at(-1);
    if (last !== undefined) query.set('startAfter', last.reportId);
    const { reports } = bodyAs(readinessReports, await platform.get(`${list}?${query}`));
    if (reports.length === 0) return all;
    all.push(...reports);
  }
}

describe('pages', () => {
  test.each([
    ['newest', '20', undefined],
    ['oldest', '7', undefined],
    ['mixed', '3', undefined],
    ['newest', '20', 1],
    ['oldest', '20', 9],
    ['mixed', '20', 1_000_000],
  ])('give every report once: %s first, %s on a page, limit %s', async (order, size, limit) => {
    await using platform = await startWholePlatform({ 'reports-order': order, 'reports-page': size });
    const all = await readAll(platform, limit);
    expect(all.length).toBeGreaterThan(80);
    expect(new Set(all.map(({ reportId }) => reportId)).size).toBe(all.length);
    const times = all.map(({ createdAt }) => createdAt);
    const ascending = times.toSorted((a, b) => a - b);
    if (order === 'oldest') expect(times).toEqual(ascending);
    else if (order === 'newest') expect(times).toEqual(ascending.toReversed());
    else expect([ascending, ascending.toReversed()]).not.toContainEqual(times);
  });

  test('have the chosen size where none is asked for, and never more than the chosen most', async () => {
    await using platform = await startWholePlatform({ 'reports-page': '7', 'reports-at-most': '11' });
    expect(bodyAs(readinessReports, await platform.get(list)).reports).toHaveLength(7);
    expect(bodyAs(readinessReports, await platform.get(`${list}?limit=12`)).reports).toHaveLength(11);
  });

  test('of too large a size are refused where that is chosen', async () => {
    await using platform = await startWholePlatform({ 'reports-at-most': '11', 'reports-beyond': 'refuse' });
    expect((await platform.get(`${list}?limit=11`)).status).toBe(200);
    expect(await platform.get(`${list}?limit=12`)).toMatchObject({
      status: 400,
      body: { detail: 'limit must be at most 11, got 12' },
    });
  });

  test.each([
    ['refuse', 400, { status: 400 }],
    ['empty', 200, { reports: [] }],
    ['first', 200, { reports: { length: 20 } }],
  ])('after a report that there is not: %s', async (choice, status, body) => {
    await using platform = await startWholePlatform({ 'unknown-start': choice });
    expect(await platform.get(`${list}?startAfter=nothing`)).toMatchObject({ status, body });
  });
});

test('reports come as time goes on, and those of before stay as they were', async () => {
  await using platform = await startWholePlatform({ 'reports-order': 'oldest' });
  const before = await readAll(platform);
  platform.wait(7 * 86_400_000);
  const later = await readAll(platform);
  expect(later.length).toBeGreaterThan(before.length);
  expect(later.slice(0, before.length)).toEqual(before);
});

test('the reports of one repository are chosen by its id', async () => {
  await using platform = await startWholePlatform({ 'reports-page': '100' });
  const { reports } = bodyAs(readinessReports, await platform.get(`${list}?repoId=repo_2`));
  expect(reports.length).toBeGreaterThan(5);
  expect(new Set(reports.map(({ repoUrl }) => repoUrl)).size).toBe(1);
  expect((await platform.get(`${list}?repoId=elsewhere`)).body).toEqual({ reports: [] });
});

test.each(['0', '-1', '1.5', '', 'ten'])('the limit %o is refused, without a request id', async (limit) => {
  await using platform = await startWholePlatform();
  expect(await platform.get(`${list}?limit=${limit}`)).toEqual({
    status: 400,
    body: {
      title: 'Bad Request',
      status: 400,
      detail: `limit must be a positive integer, got "${limit}"`,
    },
  });
});
