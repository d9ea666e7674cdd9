import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { day, daysOf } from '../../src/model/day.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { endpoints, type Installation, install, organization } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-21'];
const range = `--from ${from} --to ${to}`;
const slices = 8 * endpoints.length;

describe('a backfill of days that are loaded', () => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await install({ users: 40 });
    const first = await installation.load(`backfill ${range}`);
    expect(first.code).toBe(0);
    expect(first.summary.slices.loaded).toBe(slices);
  });

  afterAll(() => installation[Symbol.asyncDispose]());

  test('asks the platform for nothing but its organization', async () => {
    const before = installation.simulator.requests.length;
    const { code, summary } = await installation.load(`backfill ${range}`);
    expect(code).toBe(0);
    expect(summary.slices.planned).toBe(0);
    // What has no history is read by every run.
    const sent = installation.simulator.requests.slice(before).filter(({ days }) => days !== undefined);
    expect(sent.length).toBeLessThanOrEqual(1);
    for (const { days } of sent) expect(days?.from).toBe(days?.to);
  });

  test('with --force repairs rows that somebody deleted, and figures that somebody changed', async () => {
    const { pool } = installation.database;
    await pool.query("delete from warehouse.fact_tool_usage_daily where usage_date = '2026-01-15'");
    await pool.query("update warehouse.fact_tool_daily set tool_calls = 0 where usage_date = '2026-01-16'");
    const { summary } = await installation.load(`backfill ${range} --force --endpoints tools`);
    expect(summary.slices).toMatchObject({ planned: 8, loaded: 2, unchanged: 6 });
    expect(await storedWarehouse(pool)).toEqual(
      expectedWarehouse(organization, installation.payloads(from, to)),
    );
  });
});

test('after an answer of megabytes for a week, less than a week is asked for, each time the same', async () => {
  await using installation = await install({ users: 5 });
  const [first, last] = [day('2026-01-14'), day('2026-01-27')];
  const crowd = Array.from({ length: 2_500 }, (_, user) => ({
    user_id: `user_${user}`,
    user_email: `user.number.${user}@example.com`,
    billable_tokens: user,
    by_model: [],
  }));
  for (const each of daysOf({ from: first, to: last }))
    changeRows(installation.dataset, 'tokens', each, (row) => ({ ...row, by_user: crowd }));

  const windows = async (options = '') => {
    const before = installation.simulator.requests.length;
    const loaded = await installation.load(
      `backfill --from ${first} --to ${last} --endpoints tokens ${options}`.trim(),
    );
    const asked = installation.simulator.requests
      .slice(before)
      .filter(({ path }) => path.endsWith('/tokens'));
    return { loaded, asked: asked.map(({ days }) => days && `${days.from} ${days.to}`) };
  };
  const once = await windows();
  expect(once.asked).toEqual(['2026-01-21 2026-01-27', '2026-01-14 2026-01-17', '2026-01-18 2026-01-20']);
  expect(once.loaded.summary.slices.loaded).toBe(14);
  expect(await storedWarehouse(installation.database.pool)).toEqual(
    expectedWarehouse(
      organization,
      installation.payloads(first, last).filter(({ endpoint }) => endpoint === 'tokens'),
    ),
  );
  const again = await windows('--force');
  expect(again.asked).toEqual(once.asked);
  expect(again.loaded.summary.slices.unchanged).toBe(14);
});
