import { describe, expect, test } from 'vitest';
import { addDays, day } from '../../src/model/day.ts';
import { installOn } from '../support/calendar.ts';
import { endpoints, type Installation } from '../support/installation.ts';
import { sliceRow } from '../support/ledger-rows.ts';

const silent = day('2026-02-10');

function silence({ dataset }: Pick<Installation, 'dataset'>, names: readonly string[] = endpoints): void {
  for (const endpoint of names) dataset.overrideRows(endpoint, silent, []);
}

async function statusesOf(
  { database }: Pick<Installation, 'database'>,
  names: readonly string[] = endpoints,
): Promise<unknown[]> {
  const rows = await Promise.all(names.map((endpoint) => sliceRow(database.pool, endpoint, silent)));
  return [...new Set(rows.map((row) => row?.status))];
}

const backfill = `backfill --from ${silent} --to ${silent}`;
/** With yesterday this many days after the silent day. */
const todayAfter = (days: number) => addDays(silent, days + 1);

describe('a day for which no endpoint has rows', () => {
  test('is empty at once when it lies four days before yesterday, and is not asked for again', async () => {
    await using installation = await installOn(todayAfter(4));
    silence(installation);
    const { code, summary } = await installation.load(backfill);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { empty: 5, pending: 0 } });
    expect(await statusesOf(installation)).toEqual(['empty']);
    expect((await installation.load(backfill)).summary.slices.planned).toBe(0);
  });

  test('is pending while it lies three days before yesterday, and empty a day later', async () => {
    await using installation = await installOn(todayAfter(3));
    silence(installation);
    const { code, summary } = await installation.load(backfill);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { empty: 0, pending: 5 } });
    expect(await statusesOf(installation)).toEqual(['pending']);

    installation.calendar.today = todayAfter(4);
    expect((await installation.load(backfill)).summary.slices).toMatchObject({ planned: 5, empty: 5 });
    expect(await statusesOf(installation)).toEqual(['empty']);
  });

  test('is old or young as seen from the yesterday that --date names', async () => {
    await using installation = await installOn(todayAfter(30));
    silence(installation);
    // From there on nightly fills what is missing.
    await installation.load(`backfill --from ${addDays(silent, -1)} --to ${addDays(silent, -1)}`);
    expect((await installation.load(`nightly --date ${silent}`)).summary.slices.pending).toBe(5);
    expect(await statusesOf(installation)).toEqual(['pending']);
    await installation.load(`nightly --date ${addDays(silent, 3)}`);
    expect(await statusesOf(installation)).toEqual(['pending']);
    await installation.load(`nightly --date ${addDays(silent, 4)}`);
    expect(await statusesOf(installation)).toEqual(['empty']);
  });
});

test('a day that is empty stays so when a later run that asks for it again is stopped', async () => {
  let isRefused = false;
  await using installation = await installOn(todayAfter(4), ({ path }) =>
    isRefused && path.endsWith('/users') ? { kind: 'status', status: 401 } : undefined,
  );
  silence(installation);
  await installation.load(backfill);
  isRefused = true;
  const { code, summary } = await installation.load(`${backfill} --force`);
  expect({ code, status: summary.status }).toEqual({ code: 3, status: 'failed' });
  expect(await statusesOf(installation)).toEqual(['empty']);
});

describe('a day for which one endpoint has no rows and the others have', () => {
  const others = endpoints.filter((endpoint) => endpoint !== 'productivity');

  test('is pending, however old, until runs of three different days were answered so', async () => {
    await using installation = await installOn(todayAfter(30));
    silence(installation, ['productivity']);
    const { code, summary } = await installation.load(backfill);
    expect({ code, slices: summary.slices }).toMatchObject({
      code: 0,
      slices: { loaded: 4, empty: 0, pending: 1 },
    });
    for (const today of [todayAfter(30), todayAfter(30), todayAfter(31), todayAfter(31)]) {
      installation.calendar.today = today;
      expect((await installation.load(backfill)).summary.slices).toMatchObject({ planned: 1, pending: 1 });
      expect(await statusesOf(installation, ['productivity'])).toEqual(['pending']);
    }
    installation.calendar.today = todayAfter(40);
    expect((await installation.load(backfill)).summary.slices).toMatchObject({ planned: 1, empty: 1 });
    expect(await statusesOf(installation, ['productivity'])).toEqual(['empty']);
    expect(await statusesOf(installation, others)).toEqual(['loaded']);
  });

  test('is asked for again by nightly, and loaded when the rows are there', async () => {
    await using installation = await installOn(todayAfter(30));
    silence(installation, ['productivity']);
    await installation.load(backfill);
    await installation.load(`backfill --from ${addDays(silent, 1)} --to ${addDays(silent, 5)}`);
    installation.dataset.overrideRows('productivity', silent, undefined);
    const { code, summary } = await installation.load(`nightly --date ${addDays(silent, 5)}`);
    expect({ code, slices: summary.slices }).toMatchObject({ code: 0, slices: { planned: 6, pending: 0 } });
    expect(await statusesOf(installation)).toEqual(['loaded']);
  });
});

describe('users without rows', () => {
  function reportActivity(
    { dataset }: Pick<Installation, 'dataset'>,
    users: number | null,
    figures: { readonly sessions?: number | null; readonly messages?: number | null } = {},
  ): void {
    const others = { weekly_active_users: 7, monthly_active_users: 9, daily_active_users_by_client: {} };
    const nothing = { sessions: 0, messages: 0, user_messages: 0 };
    dataset.overrideRows('activity', silent, [
      { date: silent, daily_active_users: users, ...others, ...nothing, ...figures },
    ]);
  }

  test.each([0, 10])(
    'are empty at once when /activity says that nobody was active (yesterday %i days later)',
    async (days) => {
      await using installation = await installOn(todayAfter(days));
      silence(installation, ['users']);
      reportActivity(installation, 0);
      const { code, summary } = await installation.load(backfill);
      expect({ code, slices: summary.slices }).toMatchObject({
        code: 0,
        slices: { loaded: 4, empty: 1, pending: 0 },
      });
      expect(await statusesOf(installation, ['users'])).toEqual(['empty']);
    },
  );

  test('are empty also when /activity was read by an earlier run', async () => {
    await using installation = await installOn(todayAfter(0));
    silence(installation, ['users']);
    reportActivity(installation, 0);
    await installation.load(`${backfill} --endpoints activity`);
    await installation.load(`${backfill} --endpoints users`);
    expect(await statusesOf(installation, ['users'])).toEqual(['empty']);
  });
});
