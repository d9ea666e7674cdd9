import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addDays, day, yesterday } from '../../src/model/day.ts';
import { type Installation, install } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';
import { checkOf, type Report, verify } from '../support/verification.ts';

const [from, to] = ['2026-01-14', '2026-01-26'];
const noTokens = '2026-01-15';
const noUsers = '2026-01-16';
const tokensNeverRead = '2026-01-17';
const tokensFailed = '2026-01-18';
const usersFailed = '2026-01-19';
const nothingAtAll = '2026-01-20';
const withoutCredits = '2026-01-21';
const notAskedYet = '2026-01-22';
const check = 'days_with_credits';

let installation: Installation;
const query = (statement: string, ...values: readonly unknown[]) =>
  installation.database.pool.query(statement, [...values]);
const serveNothing = (endpoint: string, of: string) =>
  installation.dataset.overrideRows(endpoint, day(of), []);
const ofCheck = ({ contradictions }: Report) =>
  contradictions.filter((contradiction) => contradiction.check === check);

beforeAll(async () => {
  installation = await install({
    users: 40,
    fault: ({ path, days }) =>
      (path.endsWith('/tokens') && days?.from === tokensFailed) ||
      (path.endsWith('/users') && days?.from === usersFailed)
        ? { kind: 'status', status: 500 }
        : undefined,
  });
  const { dataset, load } = installation;
  serveNothing('tokens', noTokens);
  serveNothing('users', noUsers);
  for (const endpoint of ['tokens', 'tools', 'activity', 'productivity', 'users'])
    serveNothing(endpoint, nothingAtAll);
  serveNothing('tokens', withoutCredits);
  changeRows(dataset, 'users', withoutCredits, (row) => ({ ...row, billable_tokens: 0 }));
  serveNothing('tokens', notAskedYet);
  const loaded = await load(`backfill --from ${from} --to ${to}`, { WINDOW_DAYS: '1' });
  expect(loaded.summary.slices).toMatchObject({ failed: 2, pending: 4, empty: 5 });
  await query('delete from warehouse.fact_token_daily where usage_date = $1', tokensNeverRead);
  await query("delete from etl.slice where endpoint = 'tokens' and usage_date = $1", tokensNeverRead);
  // As of a day that the platform did not serve yet.
  await query(
    "update etl.slice set answered_empty_by = '{}' where endpoint = 'tokens' and usage_date = $1",
    notAskedYet,
  );
});

afterAll(() => installation[Symbol.asyncDispose]());

describe('verify of days of which one endpoint has no row', () => {
  test('contradicts where the other one has credits, in both directions, and nowhere else', async () => {
    const { report } = await verify(installation, from, to);
    const [ofUsers, ofTokens] = await Promise.all([
      query(
        'select sum(billable_tokens) as credits from warehouse.fact_user_daily where usage_date = $1',
        noTokens,
      ),
      query(
        'select billable_tokens as credits from warehouse.fact_token_daily where usage_date = $1',
        noUsers,
      ),
    ]);
    expect(ofCheck(report).sort((a, b) => String(a.usage_date).localeCompare(String(b.usage_date)))).toEqual([
      {
        check,
        endpoint: 'tokens',
        usage_date: noTokens,
        expected: ofUsers.rows[0].credits,
        actual: '0',
        detail: 'credits of /users on a day of which /tokens has no row',
      },
      {
        check,
        endpoint: 'users',
        usage_date: noUsers,
        expected: ofTokens.rows[0].credits,
        actual: '0',
        detail: 'credits of /tokens on a day of which /users has no row',
      },
    ]);
    // Thirteen days, without those that nothing can be said of.
    expect(checkOf(report, check)).toMatchObject({ ok: 5, contradictions: 2 });
  });

  test('says so whether the missing day is pending or believed empty', async () => {
    for (const status of ['pending', 'empty']) {
      await query(
        "update etl.slice set status = $1 where endpoint = 'tokens' and usage_date = $2",
        status,
        noTokens,
      );
      await query(
        "update etl.slice set status = $1 where endpoint = 'users' and usage_date = $2",
        status,
        noUsers,
      );
      const { report } = await verify(installation, noTokens, noUsers);
      expect(
        ofCheck(report)
          .map(({ usage_date }) => usage_date)
          .sort(),
      ).toEqual([noTokens, noUsers]);
    }
  });

  test('says nothing of days outside the range', async () => {
    expect(ofCheck((await verify(installation, tokensNeverRead, to)).report)).toEqual([]);
    expect(ofCheck((await verify(installation, from)).report)).toEqual([]);
    expect(ofCheck((await verify(installation, noTokens)).report)).toHaveLength(1);
  });

  test('waits for a yesterday that is pending, and contradicts once it is older', async () => {
    const last = yesterday(Date.now);
    const before = addDays(last, -1);
    for (const of of [before, last]) serveNothing('tokens', of);
    await installation.load(`backfill --from ${before} --to ${last}`);
    const { report } = await verify(installation, before, last);
    expect(ofCheck(report)).toMatchObject([{ endpoint: 'tokens', usage_date: before }]);
  });
});
