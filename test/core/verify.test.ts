import { beforeAll, describe, expect, test } from 'vitest';
import { fieldsOf } from '../support/exact-json.ts';
import { sharedInstallation } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { checksWith, verify } from '../support/verification.ts';

/** Loaded from a platform that agrees with itself. */
const [firstClean, lastClean] = ['2026-01-14', '2026-01-23'];
const totalTooSmall = '2026-01-24';
const oddNames = '2026-01-25';

const change = (statement: string, ...values: readonly unknown[]) =>
  installation.database.pool.query(statement, [...values]);

const installation = await sharedInstallation({ users: 40 });

beforeAll(async () => {
  const { dataset } = installation;
  changeRows(dataset, 'tools', totalTooSmall, (row) => ({ ...row, tool_calls: Number(row.tool_calls) - 5 }));
  changeRows(dataset, 'tools', oddNames, (row) => ({
    ...row,
    tool_calls: 10,
    by_tool: [
      { tool: 'nul \0 inside', invocations: 1 },
      { tool: 'twice', invocations: 2 },
      { tool: 'twice', invocations: 3 },
      { tool: '', invocations: 4 },
    ],
  }));
  await installation.load(`backfill --from ${firstClean} --to ${oddNames}`);
});

describe('verify', () => {
  test('finds nothing in what was loaded from a platform that agrees with itself', async () => {
    // The platform groups the tiers of a model together.
    const tiers = await change(
      `select from warehouse.fact_token_model_daily join warehouse.dim_model using (model_key)
      group by usage_date, model_id having count(*) > 1`,
    );
    expect(tiers.rowCount).toBeGreaterThan(0);
    const { code, report } = await verify(installation, firstClean, lastClean);
    expect(code).toBe(0);
    expect(report).toMatchObject({ status: 'succeeded', contradictions: [], failures: [] });
    for (const { compared, ok } of report.checks) expect(compared).toBe(ok);
    expect(report.checks.every(({ ok }) => ok > 0)).toBe(true);

    const { rows } = await change(
      'select check_name, verdict, expected from etl.check_result where run_id = $1 order by 1',
      report.run_id,
    );
    expect(rows).toEqual(
      report.checks
        .map(({ name, compared }) => ({ check_name: name, verdict: 'ok', expected: String(compared) }))
        .sort((a, b) => (a.check_name < b.check_name ? -1 : 1)),
    );
    const runs = await change(
      'select job, status, org_key is not null as has_org from etl.run where run_id = $1',
      report.run_id,
    );
    expect(runs.rows).toEqual([{ job: 'verify', status: 'succeeded', has_org: true }]);
  });

  test('compares names as they were stored, and sums those that come twice', async () => {
    const { report } = await verify(installation, oddNames);
    // The rows of /users know of more calls than the ten that this day was given.
    expect(report.contradictions.filter(({ check }) => check !== 'sums_of_users')).toEqual([]);
    expect(report.checks).toContainEqual({
      name: 'tools_group_by_tool_name',
      compared: 3,
      ok: 3,
      remainders: 0,
      contradictions: 0,
    });
  });

  test('finds a figure that was altered by hand', async () => {
    const day = '2026-01-15';
    const { rows } = await change(
      `update warehouse.fact_token_model_daily as f set billable_tokens = billable_tokens + 0.01
      where ctid = (select min(ctid) from warehouse.fact_token_model_daily where usage_date = $1)
      returning (select model_id from warehouse.dim_model as m where m.model_key = f.model_key)`,
      day,
    );
    const { report } = await verify(installation, day);
    expect(checksWith('contradictions', report)).toContain('tokens_by_model');
    const [found, ...more] = report.contradictions.filter(({ check }) => check === 'tokens_group_by_model');
    expect(more).toEqual([]);
    expect(found).toMatchObject({ endpoint: 'tokens', usage_date: day });
    expect(found?.detail).toContain(`billable_tokens of ${rows[0]?.model_id}`);
    expect(Number(found?.actual) - Number(found?.expected)).toBeCloseTo(0.01, 6);
  });

  test('finds a row that was deleted by hand', async () => {
    const day = '2026-01-16';
    const { rows } = await change(
      'delete from warehouse.fact_token_user_daily where ctid = (select min(ctid) from warehouse.fact_token_user_daily where usage_date = $1) returning (select count(*) from warehouse.fact_token_user_daily where usage_date = $1)',
      day,
    );
    const { report } = await verify(installation, day);
    expect(checksWith('contradictions', report)).toEqual([
      'models_of_each_user',
      'rows_in_ledger',
      'ledger_without_facts',
    ]);
    const before = Number(rows[0]?.count);
    expect(report.contradictions).toContainEqual({
      check: 'rows_in_ledger',
      endpoint: 'tokens',
      usage_date: day,
      expected: String(before),
      actual: String(before - 1),
      detail: 'rows of fact_token_user_daily as in etl.slice.table_rows',
    });
  });

  test('finds a row that was added by hand, with and without a dimension for its key', async () => {
    const day = '2026-01-17';
    await change("insert into warehouse.dim_client (client_type) values ('ghost')");
    await change(
      "insert into warehouse.fact_activity_client_daily (org_key, usage_date, client_key, daily_active_users) select org_key, $1::date, client_key, 3 from warehouse.dim_org, warehouse.dim_client where client_type = 'ghost'",
      day,
    );
    // Before Postgres 18 the foreign key would refuse what has no dimension.
    const client = await installation.database.pool.connect();
    await client.query('set session_replication_role = replica');
    await client.query(
      'insert into warehouse.fact_skill_daily (org_key, usage_date, skill_key, invocations) select org_key, $1::date, 999999, 0 from warehouse.dim_org',
      [day],
    );
    client.release(true);
    const { report } = await verify(installation, day);
    expect(report.contradictions).toContainEqual(
      expect.objectContaining({ check: 'activity_group_by_client', expected: '0', actual: '3' }),
    );
    expect(report.contradictions).toContainEqual(
      expect.objectContaining({ check: 'orphan_keys', endpoint: 'tools', usage_date: day }),
    );
    expect(checksWith('contradictions', report)).toContain('rows_in_ledger');
  });

  test('finds a ledger that counts other rows than there are', async () => {
    const day = '2026-01-18';
    await change("update etl.slice set row_count = 7777 where endpoint = 'users' and usage_date = $1", day);
    const { report } = await verify(installation, day);
    expect(report.contradictions).toHaveLength(1);
    expect(report.contradictions[0]).toMatchObject({
      check: 'rows_in_ledger',
      endpoint: 'users',
      expected: '7777',
      detail: 'rows of fact_user_daily as in etl.slice.row_count',
    });
  });

  test('finds a user of whom two endpoints tell differently, and one who did more than all', async () => {
    const day = '2026-01-19';
    await change(
      `update warehouse.fact_user_daily set billable_tokens = billable_tokens + 1, git_commits = 100000
      where ctid = (select min(ctid) from warehouse.fact_user_daily where usage_date = $1)`,
      day,
    );
    const { report } = await verify(installation, day);
    expect(checksWith('contradictions', report)).toEqual(['credits_of_each_user', 'sums_of_users']);
    expect(report.contradictions.map(({ detail }) => detail)).toContain(
      'git_commits of all rows of /users within that of /productivity',
    );
  });

  test('finds more rows of users than there were active users', async () => {
    const day = '2026-01-20';
    await change(
      'update warehouse.fact_activity_daily set daily_active_users = 1 where usage_date = $1',
      day,
    );
    const { report } = await verify(installation, day);
    expect(checksWith('contradictions', report)).toEqual(['active_users_by_client', 'users_of_the_day']);
  });

  test('finds a day of the future whatever the range', async () => {
    await change(
      'insert into warehouse.fact_tool_daily (org_key, usage_date) select org_key, current_date + 1 from warehouse.dim_org',
    );
    const { report } = await verify(installation, firstClean);
    await change('delete from warehouse.fact_tool_daily where usage_date > current_date');
    expect(checksWith('contradictions', report)).toEqual(['facts_without_ledger', 'future_days']);
  });

  test('finds a day that the platform has restated since', async () => {
    const day = '2026-01-21';
    changeRows(installation.dataset, 'activity', day, (row) => ({
      ...row,
      daily_active_users_by_client: { ...fieldsOf(row.daily_active_users_by_client), web: 0 },
    }));
    const { report } = await verify(installation, day);
    expect(checksWith('contradictions', report)).toEqual(['activity_group_by_client']);
    expect(report.contradictions[0]).toMatchObject({ endpoint: 'activity', usage_date: day, expected: '0' });
  });

  test('finds a total of the platform that is smaller than its breakdown', async () => {
    const { report } = await verify(installation, totalTooSmall);
    expect(checksWith('contradictions', report)).toEqual(['calls_by_tool', 'sums_of_users']);
    const [found] = report.contradictions;
    expect(Number(found?.actual) - Number(found?.expected)).toBe(5);
  });
});
