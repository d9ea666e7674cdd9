/** Readiness reports, from the platform as documented to the tables, whatever the document leaves open. */
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { job as backfill } from '../../jobs/backfill.ts';
import { job as nightly } from '../../jobs/nightly.ts';
import { day } from '../../src/model/day.ts';
import { simulatorFromSeed } from '../../src/simulator/from-seed.ts';
import type { Choices } from '../../src/simulator/open-points.ts';
import type { Simulator } from '../../src/simulator/server.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runInProcess } from '../support/in-process.ts';
import type { Report } from '../support/readiness-platform.ts';
import { expectedReadiness, storedReadiness } from '../support/readiness-warehouse.ts';

const apiKey = 'key-of-the-tests';
const now = Date.parse('2026-03-10T12:00:00Z');

const opened: (Simulator | TestDatabase)[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await ('drop' in each ? each.drop() : each.close());
});

async function setUp(choices: Choices = {}) {
  const [simulator, database] = await Promise.all([
    simulatorFromSeed({ seed: 3, users: 3, from: day('2026-01-14'), apiKey, choices, clock: () => now }),
    createTestDatabase(),
  ]);
  opened.push(simulator, database);
  const environment = {
    API_BASE_URL: simulator.url,
    APP_BASE_URL: simulator.url,
    API_KEY: apiKey,
    DATABASE_URL: database.url,
    REQUESTS_PER_SECOND: '1000',
    MAX_RETRIES: '0',
  };
  return { simulator, database, environment };
}

const page = z.object({ reports: z.array(z.looseObject({ reportId: z.string() })) });

/** All reports, asked for one by one as the document says. */
async function listed(url: string): Promise<Report[]> {
  const all: Report[] = [];
  for (;;) {
    const last = all.at(-1);
    const query = last === undefined ? '' : `?startAfter=${last.reportId}`;
    const response = await fetch(`${url}/api/organization/maturity-level-reports${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const { reports } = page.parse(await response.json());
    if (reports.length === 0) return all;
    all.push(...reports);
  }
}

async function organizationIn(database: TestDatabase): Promise<string> {
  const { rows } = await database.pool.query<{ org_id: string }>('select org_id from warehouse.dim_org');
  return rows[0]?.org_id ?? '';
}

test.each<Choices>([
  {},
  { 'reports-order': 'oldest', 'reports-page': '7', 'reports-at-most': '7' },
  { 'reports-order': 'mixed', 'reports-at-most': '30', 'reports-beyond': 'refuse' },
  { 'reports-at-most': '1', 'reports-page': '1', 'unknown-start': 'first' },
  { 'reports-at-most': '10000', 'unknown-names': 'refuse' },
])('every report is held as the platform says it: %o', async (choices) => {
  const { simulator, database, environment } = await setUp(choices);
  const { code, json } = await runInProcess(
    backfill,
    { endpoints: 'readiness' },
    { ...environment, PAGE_SIZE: '50' },
    () => now,
  );
  expect(json).toMatchObject({ sources: { readiness: 'loaded' }, slices: { planned: 1, loaded: 1 } });
  expect(code).toBe(0);
  const reports = await listed(simulator.url);
  expect(reports.length).toBeGreaterThan(80);
  expect(await storedReadiness(database.pool, await organizationIn(database))).toEqual(
    expectedReadiness(reports),
  );
});

test('a night reads them once, whatever its days, and without the host not at all', async () => {
  const { database, environment } = await setUp();
  const night = (changes: Readonly<Record<string, string>> = {}) =>
    runInProcess(nightly, { date: '2026-01-20' }, { ...environment, ...changes }, () => now);
  expect((await night()).json).toMatchObject({
    status: 'succeeded',
    slices: { planned: 22 },
    sources: { readiness: 'loaded' },
  });
  expect((await night()).json).toMatchObject({
    slices: { planned: 22 },
    sources: { readiness: 'unchanged' },
  });
  expect((await night({ APP_BASE_URL: '' })).json).toMatchObject({
    status: 'succeeded',
    slices: { planned: 21 },
    sources: { readiness: 'off' },
  });
  expect(
    (
      await runInProcess(
        backfill,
        { endpoints: 'activity', from: '2026-01-20', to: '2026-01-20' },
        environment,
        () => now,
      )
    ).json,
  ).toMatchObject({ slices: { planned: 0 }, sources: { readiness: 'off' } });
  const { rows } = await database.pool.query(
    "select usage_date, status, attempts::int from etl.slice where endpoint = 'readiness'",
  );
  expect(rows).toEqual([{ usage_date: null, status: 'loaded', attempts: 2 }]);
  const asked = await database.pool.query("select 1 from etl.asked_range where endpoint = 'readiness'");
  expect(asked.rows).toEqual([]);
});
