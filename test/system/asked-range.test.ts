import { expect, test } from 'vitest';
import { daysOf } from '../../src/model/day.ts';
import { commandInProcess, loadInProcess } from '../support/commands-in-process.ts';
import { endpoints, type Installation, install } from '../support/installation.ts';

/** Noon of 21 January: the last day that the platform serves is the 20th. */
const clock = () => Date.parse('2026-01-21T12:00:00Z');
const yesterday = '2026-01-20';

async function askedRanges({ database }: Installation): Promise<Readonly<Record<string, string>>> {
  const { rows } = await database.pool.query<{ endpoint: string; first_day: string }>(
    'select endpoint, first_day::text from etl.asked_range join warehouse.dim_org using (org_key)',
  );
  return Object.fromEntries(rows.map(({ endpoint, first_day }) => [endpoint, first_day]));
}

const load = (installation: Installation, commandLine: string, environment = {}) =>
  loadInProcess(installation, commandLine, { clock, environment: { LOOKBACK_DAYS: '0', ...environment } });

/** Slices as `endpoint day` that the platform was asked for since a request, the one for the organization aside. */
function slicesAsked({ simulator }: Installation, since: number): Set<string> {
  return new Set(
    simulator.requests.slice(since + 1).flatMap(({ path, days }) => {
      const endpoint = path.slice(path.lastIndexOf('/') + 1);
      return days === undefined ? [] : daysOf(days).map((each) => `${endpoint} ${each}`);
    }),
  );
}

test('the earliest day that any backfill asked for is remembered, by endpoint', async () => {
  await using installation = await install({ users: 5, clock });
  await load(installation, 'backfill --from 2026-01-17 --to 2026-01-18');
  expect(await askedRanges(installation)).toEqual(
    Object.fromEntries(endpoints.map((endpoint) => [endpoint, '2026-01-17'])),
  );
  await load(installation, 'backfill --from 2026-01-19 --to 2026-01-19');
  await load(installation, 'backfill --from 2026-01-15 --to 2026-01-15 --endpoints users,tokens');
  expect(await askedRanges(installation)).toMatchObject({
    users: '2026-01-15',
    tokens: '2026-01-15',
    tools: '2026-01-17',
    activity: '2026-01-17',
    productivity: '2026-01-17',
  });
  const dry = await commandInProcess(installation, 'backfill --from 2026-01-14 --dry-run', { clock });
  expect(dry.code).toBe(0);
  expect(await askedRanges(installation)).toMatchObject({ users: '2026-01-15', tools: '2026-01-17' });
});

test('what a backfill asked for and did not get is filled by nightly, though nothing so early is loaded', async () => {
  let isBroken = true;
  await using installation = await install({
    users: 20,
    clock,
    fault: ({ days }) =>
      isBroken && days !== undefined && days.from < '2026-01-18'
        ? { kind: 'status', status: 500 }
        : undefined,
  });
  const { simulator } = installation;
  const first = await load(installation, 'backfill --from 2026-01-15', { WINDOW_DAYS: '1' });
  expect(first).toMatchObject({ code: 1, summary: { slices: { planned: 30, loaded: 15, failed: 15 } } });
  isBroken = false;
  const since = simulator.requests.length;
  const nightly = await load(installation, `nightly --date ${yesterday}`);
  expect(nightly).toMatchObject({ code: 0, summary: { slices: { planned: 20, failed: 0 } } });
  const missing = ['2026-01-15', '2026-01-16', '2026-01-17', yesterday].flatMap((each) =>
    endpoints.map((endpoint) => `${endpoint} ${each}`),
  );
  expect(slicesAsked(installation, since)).toEqual(new Set(missing));
  const status = await commandInProcess(installation, 'status --check', { clock });
  expect(status).toMatchObject({ code: 0, json: { complete: true } });
});

test('a first backfill that stopped in the middle is not called complete, and nightly goes on with it', async () => {
  let isRefused = true;
  await using installation = await install({
    users: 20,
    clock,
    // Newest days come first: what is loaded has no gap, what was never tried is missing at its beginning.
    fault: ({ days }) =>
      isRefused && days !== undefined && days.from < '2026-01-18'
        ? { kind: 'status', status: 401 }
        : undefined,
  });
  const stopped = await load(installation, 'backfill --from 2026-01-14', {
    WINDOW_DAYS: '1',
    MAX_CONCURRENCY: '1',
  });
  expect(stopped.code).toBe(3);
  expect(stopped.summary.slices.loaded).toBeGreaterThan(0);
  expect(await askedRanges(installation)).toMatchObject({ users: '2026-01-14', tokens: '2026-01-14' });
  const incomplete = await commandInProcess(installation, 'status --check', { clock });
  expect(incomplete).toMatchObject({ code: 1, json: { complete: false } });

  isRefused = false;
  expect((await load(installation, `nightly --date ${yesterday}`)).code).toBe(0);
  const status = await commandInProcess(installation, 'status --check', { clock });
  expect(status).toMatchObject({ code: 0, json: { complete: true } });
  const again = await load(installation, 'backfill --from 2026-01-14');
  expect(again.summary.slices.planned).toBe(0);
});

test('nightly --endpoints asks for these only, gaps and days before yesterday included', async () => {
  await using installation = await install({ users: 10, clock });
  await load(installation, 'backfill --from 2026-01-15 --to 2026-01-15');
  const since = installation.simulator.requests.length;
  const { code, summary } = await load(installation, `nightly --date ${yesterday} --endpoints tools,users`, {
    LOOKBACK_DAYS: '1',
  });
  expect({ code, planned: summary.slices.planned }).toEqual({ code: 0, planned: 10 });
  expect(slicesAsked(installation, since)).toEqual(
    new Set(
      ['2026-01-16', '2026-01-17', '2026-01-18', '2026-01-19', yesterday].flatMap((each) => [
        `tools ${each}`,
        `users ${each}`,
      ]),
    ),
  );
});
