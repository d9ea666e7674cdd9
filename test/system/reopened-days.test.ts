import { describe, expect, test } from 'vitest';
import { addDays, type Day, day, daysOf } from '../../src/model/day.ts';
import { installOn } from '../support/calendar.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, organization } from '../support/installation.ts';
import { sliceRow, sliceStatuses } from '../support/ledger-rows.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = [day('2026-02-09'), day('2026-02-12')];
const fourDays = daysOf({ from, to });
const today = day('2026-03-02');
const backfill = `backfill --from ${from} --to ${to}`;

type Installed = Awaited<ReturnType<typeof installOn>>;

/** A platform that says of the four days what it should not, until it recovers. */
async function installTroubled() {
  const failing = new Set<string>();
  const installation = await installOn(today, ({ path, days }) => {
    const isOfThem = days !== undefined && days.from <= to && days.to >= from;
    const fails = isOfThem && [...failing].some((endpoint) => path.endsWith(`/analytics/${endpoint}`));
    return fails ? { kind: 'status', status: 500 } : undefined;
  });
  const serve = (rows: [] | undefined, names: readonly string[]) => {
    for (const endpoint of names)
      for (const each of fourDays) installation.dataset.overrideRows(endpoint, each, rows);
  };
  return {
    ...installation,
    fail: (names: readonly string[]) => names.forEach((name) => void failing.add(name)),
    silence: (names: readonly string[]) => serve([], names),
    recover() {
      failing.clear();
      serve(undefined, endpoints);
    },
    [Symbol.asyncDispose]: () => installation[Symbol.asyncDispose](),
  };
}

const allBut = (...names: readonly string[]) => endpoints.filter((endpoint) => !names.includes(endpoint));

async function statusesOf({ database }: Installed, names: readonly string[]): Promise<unknown[]> {
  const statuses = await sliceStatuses(database.pool);
  return [...new Set(names.flatMap((name) => fourDays.map((each) => statuses[`${name} ${each}`])))];
}

/** Fails unless the warehouse holds of the four days what the platform says now. */
async function expectWhole({ database, payloads }: Installed): Promise<void> {
  expect(await storedWarehouse(database.pool)).toEqual(expectedWarehouse(organization, payloads(from, to)));
}

/** Nights that read nothing but what the ledger lacks. */
const night = `nightly --date ${to}`;

describe('days of which one endpoint has no rows while the others do not answer', () => {
  test.each(endpoints)('are not believed of %s, and loaded once the platform has recovered', async (name) => {
    await using installation = await installTroubled();
    installation.silence([name]);
    installation.fail(allBut(name));
    const troubled = await installation.load(backfill);
    expect(troubled).toMatchObject({ code: 1, summary: { slices: { empty: 0, pending: 4, failed: 16 } } });
    expect(await statusesOf(installation, [name])).toEqual(['pending']);

    installation.recover();
    const recovered = await installation.load(night);
    expect(recovered).toMatchObject({ code: 0, summary: { slices: { loaded: 20, pending: 0 } } });
    await expectWhole(installation);
  });

  test('stay pending while only the others have recovered, and come with the first answer that has rows', async () => {
    await using installation = await installTroubled();
    installation.silence(['users']);
    installation.fail(allBut('users'));
    await installation.load(backfill);
    installation.recover();
    installation.silence(['users']);
    expect((await installation.load(night)).summary.slices).toMatchObject({ loaded: 16, pending: 4 });
    installation.recover();
    expect((await installation.load(backfill)).summary.slices).toMatchObject({ planned: 4, loaded: 4 });
    await expectWhole(installation);
  });
});

describe('days of which one endpoint has no rows before the others were ever asked', () => {
  test.each(['users', 'tokens'])('are not believed of %s', async (name) => {
    await using installation = await installTroubled();
    installation.silence([name]);
    const narrow = await installation.load(`${backfill} --endpoints ${name}`);
    expect(narrow.summary.slices).toMatchObject({ planned: 4, empty: 0, pending: 4 });
    installation.recover();
    expect((await installation.load(backfill)).summary.slices).toMatchObject({ planned: 20, loaded: 20 });
    await expectWhole(installation);
  });

  test('are believed once the others were asked as well, and answered so', async () => {
    await using installation = await installTroubled();
    installation.silence(endpoints);
    await installation.load(`${backfill} --endpoints users`);
    await installation.load(`${backfill} --endpoints ${allBut('users').join(',')}`);
    expect(await statusesOf(installation, allBut('users'))).toEqual(['empty']);
    expect((await installation.load(backfill)).summary.slices).toMatchObject({ planned: 4, empty: 4 });
  });
});

test('an endpoint whose last try failed says nothing, also of a day that it was believed empty for', async () => {
  await using installation = await installTroubled();
  installation.silence(endpoints);
  await installation.load(backfill);
  installation.fail(['tokens']);
  const again = await installation.load(`${backfill} --force`);
  expect(again.summary.slices).toMatchObject({ empty: 0, pending: 16, failed: 4 });
  expect(await statusesOf(installation, ['tokens'])).toEqual(['empty']);
  expect(await statusesOf(installation, allBut('tokens'))).toEqual(['pending']);
});

describe('a day that was believed to be empty', () => {
  /** All five said so once, and it was believed. */
  async function installBelieved() {
    const installation = await installTroubled();
    installation.silence(endpoints);
    expect((await installation.load(backfill)).summary.slices).toMatchObject({ empty: 20 });
    installation.recover();
    return installation;
  }

  async function gapsOf({ database }: Installed): Promise<Readonly<Record<string, number>>> {
    const { rows } = await database.pool.query<{ endpoint: string; gaps: number; freshness: number }>(
      `select endpoint, days_pending::integer as freshness,
        (select count(*)::integer from bi.data_gaps as g
         where g.endpoint = f.endpoint and g.reason = 'pending' and g.usage_date between $1 and $2) as gaps
       from bi.data_freshness as f`,
      [from, to],
    );
    for (const { gaps, freshness } of rows) expect(gaps).toBe(freshness);
    return Object.fromEntries(rows.map(({ endpoint, gaps }) => [endpoint, gaps]));
  }

  test('is asked for again once another endpoint has rows, and the views say that it is missing', async () => {
    await using installation = await installBelieved();
    const { code, summary } = await installation.load(`${backfill} --force --endpoints tokens`);
    expect({ code, slices: summary.slices }).toMatchObject({
      code: 0,
      slices: { planned: 4, loaded: 4, empty: 0, pending: 0 },
    });
    expect(await statusesOf(installation, allBut('tokens'))).toEqual(['pending']);
    const gaps = Object.fromEntries(endpoints.map((name) => [name, name === 'tokens' ? 0 : 4]));
    expect(await gapsOf(installation)).toEqual(gaps);
    expect((await installation.load(night)).summary.slices).toMatchObject({ loaded: 16 });
    await expectWhole(installation);
  });

  test('is asked for again by a night, also where it lies before all that was asked for', async () => {
    await using installation = await installBelieved();
    await installation.load(`${backfill} --force --endpoints tokens`);
    await installation.database.pool.query("update etl.asked_range set first_day = '2026-02-20'");
    await installation.load(`nightly --date ${addDays(today, -1)}`);
    expect(await statusesOf(installation, endpoints)).toEqual(['loaded']);
  });

  test('by an earlier version is asked for again after any run, whatever that was to read', async () => {
    for (const [index, command] of [night, `${backfill} --endpoints tools`, 'replay'].entries()) {
      await using installation = await installTroubled();
      await installation.load(backfill);
      const mistaken: Day = fourDays[index] ?? from;
      const { pool } = installation.database;
      await pool.query('delete from warehouse.bridge_user_language_daily where usage_date = $1', [mistaken]);
      await pool.query('delete from warehouse.fact_user_daily where usage_date = $1', [mistaken]);
      await pool.query("delete from etl.raw_slice where endpoint = 'users' and usage_date = $1", [mistaken]);
      await pool.query(
        `update etl.slice set status = 'empty', row_count = 0, table_rows = '{}', source_hash = null,
           raw_chunks = null, raw_rows = null, believed_by = null
         where endpoint = 'users' and usage_date = $1`,
        [mistaken],
      );
      await installation.load(command);
      expect(await sliceRow(pool, 'users', mistaken)).toMatchObject({ status: 'pending', row_count: 0 });
      await installation.load(`${backfill} --endpoints users`);
      await expectWhole(installation);
    }
  });

  test('by runs of three days stays so, whatever another endpoint has, and whichever runs are remembered', async () => {
    await using installation = await installTroubled();
    installation.silence(['productivity']);
    for (const days of [0, 1, 2]) {
      installation.calendar.today = addDays(today, days);
      await installation.load(backfill);
    }
    expect(await statusesOf(installation, ['productivity'])).toEqual(['empty']);
    await installation.database.pool.query(
      `delete from etl.check_result; update etl.slice set run_id = null; update etl.raw_slice set run_id = null;
       update etl.rejected_row set run_id = null; update etl.drift set run_id = null; delete from etl.run`,
    );
    await installation.load(`${backfill} --force --endpoints tools`);
    expect(await statusesOf(installation, ['productivity'])).toEqual(['empty']);
    expect((await installation.load(backfill)).summary.slices.planned).toBe(0);
  });

  test('because nobody was active is asked for again when /activity says otherwise', async () => {
    await using installation = await installTroubled();
    installation.silence(['users']);
    const inactive = { daily_active_users: 0, weekly_active_users: 7, monthly_active_users: 9 };
    const figures = { sessions: 0, messages: 0, user_messages: 0, daily_active_users_by_client: {} };
    for (const date of fourDays)
      installation.dataset.overrideRows('activity', date, [{ date, ...inactive, ...figures }]);
    await installation.load(backfill);
    expect(await statusesOf(installation, ['users'])).toEqual(['empty']);
    await installation.load(`${backfill} --force --endpoints tools`);
    expect(await statusesOf(installation, ['users'])).toEqual(['empty']);
    installation.recover();
    await installation.load(`${backfill} --force --endpoints activity`);
    expect(await statusesOf(installation, ['users'])).toEqual(['pending']);
  });
});
