import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { daysBetween } from '../../src/model/day.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { type SimulatedRequest, startSimulator } from '../../src/simulator/server.ts';
import { itemsOf } from '../support/exact-json.ts';
import { organization, sharedInstallation } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { checkOf, checksWith, type Verified, verify } from '../support/verification.ts';

const [from, to] = ['2026-01-14', '2026-01-20'];
const altered = '2026-01-15';
const partial = '2026-01-19';
const neverLoaded = '2026-01-21';

let fault: ((request: SimulatedRequest) => Fault | undefined) | undefined;

/** Lets requests go wrong until the test ends. */
function spoil(requests: typeof fault): void {
  fault = requests;
  onTestFinished(() => {
    fault = undefined;
  });
}

const installation = await sharedInstallation({ users: 40, fault: (request) => fault?.(request) });

beforeAll(async () => {
  const { dataset } = installation;
  changeRows(dataset, 'tokens', partial, (row) => ({
    ...row,
    by_model: itemsOf(row.by_model).slice(1),
    by_user: itemsOf(row.by_user).slice(1),
  }));
  changeRows(dataset, 'tools', partial, (row) => ({
    ...row,
    by_tool: itemsOf(row.by_tool).slice(1),
    skills_invocations: 1234567,
    skills_by_name: [{ name: 'review', count: 1 }],
  }));
  changeRows(dataset, 'activity', partial, (row) => ({ ...row, daily_active_users_by_client: {} }));
  changeRows(dataset, 'users', partial, (row, index) => (index === 1 ? undefined : row));
  await installation.load(`backfill --from ${from} --to ${to}`);
  await installation.database.pool.query(
    'update warehouse.fact_tool_daily set tool_calls = 1 where usage_date = $1',
    [altered],
  );
});

describe('verify where the platform lists less than there was', () => {
  let verified: Verified;

  beforeAll(async () => {
    verified = await verify(installation, partial);
  });

  test('finds remainders and no contradiction', () => {
    expect(verified.report.contradictions).toEqual([]);
    expect(checksWith('contradictions', verified.report)).toEqual([]);
    expect(checksWith('remainders', verified.report)).toEqual([
      'active_users_by_client',
      'calls_by_tool',
      'credits_of_each_user',
      'invocations_by_skill',
      'sums_of_users',
      'tokens_by_model',
      'tokens_by_user',
      'tokens_by_user_and_model',
      'users_of_each_model',
      'users_of_the_day',
    ]);
  });

  test('keeps one row per day and kind of figure, with what is not attributed', async () => {
    const { rows } = await installation.database.pool.query(
      `select usage_date::text, expected, actual, detail from etl.check_result
      where run_id = $1 and check_name = 'invocations_by_skill' and verdict = 'remainder'`,
      [verified.report.run_id],
    );
    expect(rows).toEqual([
      { usage_date: partial, expected: '1234567', actual: '1', detail: 'skills_invocations of all skills' },
    ]);
  });

  test('tells a person what is not attributed, and is content with it even when strict', async () => {
    const { code, stdout } = await installation.run(`verify --from ${partial} --to ${partial} --strict`);
    expect(code).toBe(0);
    expect(stdout).toMatch(/invocations_by_skill +skills_invocations of all skills +1 +1,234,567 +1,234,566/);
  });
});

describe('verify of contradictory figures', () => {
  test('ends with exit code 1 when strict, and names them in words', async () => {
    const { code, stdout } = await installation.run(`verify --from ${from} --to ${to} --strict`);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      new RegExp(`calls_by_tool tools ${altered}: tool_calls of all tools: expected 1, got [\\d,]+`),
    );
  });

  test('ends with exit code 0 when not strict', async () => {
    const { code, report } = await verify(installation, altered);
    expect(code).toBe(0);
    expect(report.status).toBe('succeeded');
    expect(checksWith('contradictions', report)).toEqual(['calls_by_tool', 'sums_of_users']);
  });

  test('of one organization stay out of the verification of another', async () => {
    const { database, dataset, environment } = installation;
    const other = await startSimulator({
      dataset,
      organizationId: 'org_other',
      apiKeys: { 'other-key': 'owner' },
    });
    onTestFinished(() => other.close());
    const credential = { API_BASE_URL: other.url, API_KEY: 'other-key' };
    await installation.load(`backfill --from ${altered} --to ${altered}`, credential);
    expect((await verify(installation, altered, altered, credential)).report.contradictions).toEqual([]);

    await database.pool.query(
      `delete from warehouse.fact_hook_daily where org_key = (select org_key from warehouse.dim_org where org_id = 'org_other')`,
    );
    await database.pool.query(
      `update warehouse.fact_token_daily set input_tokens = 0 where org_key = (select org_key from warehouse.dim_org where org_id = 'org_other')`,
    );
    const [own, others] = [
      await verify(installation, altered, altered, environment),
      await verify(installation, altered, altered, credential),
    ];
    expect(checksWith('contradictions', own.report)).toEqual(['calls_by_tool', 'sums_of_users']);
    expect(checksWith('contradictions', others.report)).toEqual(
      expect.arrayContaining(['rows_in_ledger', 'tokens_by_model', 'ledger_without_facts']),
    );
    expect(checksWith('contradictions', others.report)).not.toContain('calls_by_tool');
    const { rows } = await database.pool.query(
      `select run_id, org_id from etl.check_result join warehouse.dim_org using (org_key)
      where run_id = any($1) group by 1, 2 order by 1`,
      [[own.report.run_id, others.report.run_id]],
    );
    expect(rows).toEqual([
      { run_id: String(own.report.run_id), org_id: organization },
      { run_id: String(others.report.run_id), org_id: 'org_other' },
    ]);
  });
});

describe('verify of an unwilling platform', () => {
  test('ends with exit code 3 when the credential is refused', async () => {
    const keys = { unknown: 'no-such-key', 'without the role': 'member-key' };
    for (const apiKey of Object.values(keys)) {
      const { code, report } = await verify(installation, from, to, { API_KEY: apiKey });
      expect(code).toBe(3);
      expect(report).toMatchObject({ status: 'failed', checks: [], contradictions: [] });
    }
  });

  test('makes the other checks when one cannot be asked for, and ends with exit code 1', async () => {
    spoil(({ query }) => (query.group_by === 'tool_name' ? { kind: 'status', status: 500 } : undefined));
    const { code, report } = await verify(installation, from);
    expect(code).toBe(1);
    expect(report.status).toBe('partial');
    expect(report.failures).toEqual([
      {
        check: 'tools_group_by_tool_name',
        part: `${from} to ${from}`,
        reason: expect.stringContaining('500'),
      },
    ]);
    expect(checkOf(report, 'tools_group_by_tool_name').compared).toBe(0);
    expect(checkOf(report, 'tokens_group_by_model').ok).toBeGreaterThan(0);
    expect(checkOf(report, 'calls_by_tool').ok).toBe(1);
  });

  test('asks for fewer days when a window is refused as too wide', async () => {
    const wide = await verify(installation, from, to);
    const { counts } = installation.simulator;
    const answeredBefore = counts.byStatus[200] ?? 0;
    spoil(({ days }) =>
      days !== undefined && daysBetween(days.from, days.to) > 1 ? { kind: 'status', status: 400 } : undefined,
    );
    const narrow = await verify(installation, from, to);
    // The question for the organization, and seven days in halves of halves for each of three endpoints.
    expect((counts.byStatus[200] ?? 0) - answeredBefore).toBe(1 + 3 * 4);
    expect(narrow.code).toBe(0);
    expect(narrow.report.checks).toEqual(wide.report.checks);
    expect(checkOf(wide.report, 'tokens_group_by_model').ok).toBeGreaterThan(0);
  });

  test('does not take rows that are not as documented', async () => {
    spoil(({ query }) =>
      query.group_by === 'client'
        ? { kind: 'mutate', mutate: (envelope) => ({ ...Object(envelope), data: [{ date: from }] }) }
        : undefined,
    );
    const { code, report } = await verify(installation, from);
    expect(code).toBe(1);
    expect(report.failures[0]).toMatchObject({
      check: 'activity_group_by_client',
      reason: expect.stringContaining('group_key: expected text, got nothing'),
    });
  });
});

describe('verify of what is not there', () => {
  test('asks for no day that the ledger does not hold as loaded', async () => {
    const before = installation.simulator.requests.length;
    const { report } = await verify(installation, to, neverLoaded);
    const grouped = installation.simulator.requests.slice(before).filter(({ query }) => query.group_by);
    expect(grouped).toHaveLength(3);
    for (const { days } of grouped) expect(days).toEqual({ from: to, to });
    expect(report.contradictions).toEqual([]);
  });

  test('says so when nothing was ever loaded of the organization', async () => {
    const stranger = await startSimulator({
      dataset: installation.dataset,
      organizationId: 'org_stranger',
      apiKeys: { 'stranger-key': 'owner' },
    });
    onTestFinished(() => stranger.close());
    const { code, stderr } = await verify(installation, from, to, {
      API_BASE_URL: stranger.url,
      API_KEY: 'stranger-key',
    });
    expect(code).toBe(1);
    expect(stderr).toContain('the warehouse has no data of organization org_stranger');
  });

  test('is refused with a range that ends before it begins', async () => {
    const { code, stderr } = await installation.run(`verify --from ${to} --to ${from}`);
    expect(code).toBe(2);
    expect(stderr).toContain(`${to} is after --to ${from}`);
  });
});
