import { expect, test } from 'vitest';
import { daysOf } from '../../src/model/day.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

/** Slices as `endpoint day` that the platform was asked for, the first request aside: it learns the organization. */
function slicesAsked({ simulator }: Installation, since: number): Set<string> {
  return new Set(
    simulator.requests.slice(since + 1).flatMap(({ path, days }) => {
      const endpoint = path.slice(path.lastIndexOf('/') + 1);
      return days === undefined ? [] : daysOf(days).map((each) => `${endpoint} ${each}`);
    }),
  );
}

async function ledgerOf({ database }: Installation): Promise<ReadonlyMap<string, string>> {
  const { rows } = await database.pool.query<{ slice: string; status: string }>(
    "select endpoint || ' ' || usage_date as slice, status from etl.slice",
  );
  return new Map(rows.map(({ slice, status }) => [slice, status]));
}

async function runStatuses({ database }: Installation): Promise<string[]> {
  const { rows } = await database.pool.query<{ status: string }>(
    'select status from etl.run order by run_id',
  );
  return rows.map(({ status }) => status);
}

test('nightly fills what is missing and what failed since the earliest loaded day, and asks for nothing else', async () => {
  let isBroken = true;
  await using installation = await install({
    fault: ({ path, query }) =>
      isBroken && path.endsWith('/productivity') && query.startDate === '2026-01-15'
        ? { kind: 'status', status: 500 }
        : undefined,
  });
  const { database, load, payloads, simulator } = installation;
  const first = await load('backfill --from 2026-01-15 --to 2026-01-16', { WINDOW_DAYS: '1' });
  expect(first).toMatchObject({
    code: 1,
    summary: { status: 'partial', slices: { planned: 10, loaded: 9, failed: 1 } },
  });
  expect((await ledgerOf(installation)).get('productivity 2026-01-15')).toBe('failed');
  await load('backfill --from 2026-01-19 --to 2026-01-19');

  isBroken = false;
  const before = simulator.requests.length;
  const nightly = await load('nightly --date 2026-01-21', { LOOKBACK_DAYS: '1' });
  expect(nightly).toMatchObject({ code: 0, summary: { status: 'succeeded', slices: { loaded: 21 } } });
  const missing = ['2026-01-17', '2026-01-18', '2026-01-20', '2026-01-21'].flatMap((each) =>
    endpoints.map((endpoint) => `${endpoint} ${each}`),
  );
  expect(slicesAsked(installation, before)).toEqual(new Set([...missing, 'productivity 2026-01-15']));
  expect(await storedWarehouse(database.pool)).toEqual(
    expectedWarehouse(organization, payloads('2026-01-15', '2026-01-21')),
  );
});

test('a backfill that was killed and started again ends like one that was not', async () => {
  const killAt = 40;
  const { promise: midway, resolve: reachedMidway } = Promise.withResolvers<void>();
  await using installation = await install({
    fault: ({ number }) => {
      if (number !== killAt) return undefined;
      reachedMidway();
      return { kind: 'hang' };
    },
  });
  const { database, load, payloads, start } = installation;
  const [from, to] = ['2026-01-14', '2026-02-12'];
  const killed = start(`backfill --from ${from} --to ${to}`);
  await Promise.race([midway, killed.ended]);
  // The request that hangs keeps it from its end.
  await expect.poll(async () => (await ledgerOf(installation)).size).toBeGreaterThan(0);
  killed.process.kill('SIGKILL');
  expect((await killed.ended).code).toBeNull();
  const { size } = await ledgerOf(installation);
  expect(size).toBeLessThan(150);

  const resumed = await load(`backfill --from ${from} --to ${to}`);
  expect(resumed).toMatchObject({
    code: 0,
    summary: { status: 'succeeded', slices: { planned: 150 - size } },
  });
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(from, to)));
  const statuses = payloads(from, to).map(
    ({ endpoint, day, rows }) => [`${endpoint} ${day}`, rows.length > 0 ? 'loaded' : 'empty'] as const,
  );
  expect(await ledgerOf(installation)).toEqual(new Map(statuses));
  expect(await runStatuses(installation)).toEqual(['failed', 'succeeded']);
});
