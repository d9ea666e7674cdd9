import { describe, expect, test } from 'vitest';
import { job as backfill } from '../../jobs/backfill.ts';
import { job as nightly } from '../../jobs/nightly.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

/** Weekends on which clocks change: 8 March 2026 in the United States, 29 March in Europe. */
const ranges = [
  ['2026-03-07', '2026-03-09'],
  ['2026-03-28', '2026-03-30'],
] as const;

test.each([
  ['America/New_York', 'Pacific/Kiritimati'],
  ['Pacific/Kiritimati', 'America/New_York'],
  ['Europe/Berlin', 'Europe/Berlin'],
])('days are UTC days with the program in %s and the database in %s', async (programZone, databaseZone) => {
  await using installation = await install({ users: 10 });
  const { database, load, payloads } = installation;
  await database.pool.query(
    `do $$ begin execute format('alter database %I set timezone to ''${databaseZone}''', current_database()); end $$`,
  );
  for (const [from, to] of ranges) {
    const { code } = await load(`backfill --from ${from} --to ${to}`, { TZ: programZone });
    expect(code).toBe(0);
  }
  const expected = ranges.flatMap(([from, to]) => payloads(from, to));
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, expected));
  const { rows } = await database.pool.query('select distinct usage_date::text from etl.slice order by 1');
  expect(rows.map(({ usage_date }) => usage_date)).toEqual([...new Set(expected.map(({ day }) => day))]);
});

describe('the last day asked for', () => {
  /** First and last day asked for; every question about days must have been answered. */
  function asked({ simulator }: Installation): { first: string | undefined; last: string | undefined } {
    const requests = simulator.requests.filter(({ path }) => path.includes('/analytics/'));
    expect(new Set(requests.map(({ status }) => status))).toEqual(new Set([200]));
    const days = requests.flatMap((request) => [request.days?.from, request.days?.to]).sort();
    return { first: days[0], last: days.at(-1) };
  }

  test.each([
    ['one millisecond before midnight UTC is still the day before', '2026-03-10T23:59:59.999Z', '2026-03-09'],
    ['at midnight UTC is the day that has just ended', '2026-03-11T00:00:00.000Z', '2026-03-10'],
  ])('%s', async (_name, now, last) => {
    const clock = () => Date.parse(now);
    await using installation = await install({ users: 10, clock });
    const { code } = await runInProcess(nightly, {}, installation.environment, clock);
    expect(code).toBe(0);
    expect(asked(installation).last).toBe(last);
    const { rows } = await installation.database.pool.query(
      'select max(usage_date)::text as last from etl.slice',
    );
    expect(rows).toEqual([{ last }]);
  });

  test('is yesterday and the first the earliest of the platform in a backfill without a range', async () => {
    const clock = () => Date.parse('2026-01-20T00:00:00.000Z');
    await using installation = await install({ users: 10, clock });
    const { code } = await runInProcess(backfill, {}, installation.environment, clock);
    expect(code).toBe(0);
    expect(asked(installation)).toEqual({ first: '2026-01-14', last: '2026-01-19' });
  });

  test('passes midnight with a run that began before it without asking for today', async () => {
    const ticks = ['2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00.000Z'];
    const clock = () => Date.parse((ticks.length > 1 ? ticks.shift() : ticks[0]) ?? '');
    await using installation = await install({
      users: 10,
      clock: () => Date.parse('2026-03-11T00:00:00.000Z'),
    });
    const { code } = await runInProcess(nightly, {}, installation.environment, clock);
    expect(code).toBe(0);
    expect(asked(installation).last).toBe('2026-03-09');
  });
});
