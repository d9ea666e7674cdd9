import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { addDays, day, yesterday } from '../../src/model/day.ts';
import { endpoints, sharedInstallation } from '../support/installation.ts';
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

let failing: string | undefined;
const query = (statement: string, ...values: readonly unknown[]) =>
  installation.database.pool.query(statement, [...values]);
const serveNothing = (endpoint: string, of: string) =>
  installation.dataset.overrideRows(endpoint, day(of), []);
const ofCheck = ({ contradictions }: Report) =>
  contradictions.filter((contradiction) => contradiction.check === check);

const installation = await sharedInstallation({
  users: 40,
  fault: ({ path, days }) =>
    (failing !== undefined && path.endsWith(failing)) ||
    (path.endsWith('/tokens') && days?.from === tokensFailed) ||
    (path.endsWith('/users') && days?.from === usersFailed)
      ? { kind: 'status', status: 500 }
      : undefined,
});

beforeAll(async () => {
  const { dataset, load } = installation;
  serveNothing('tokens', noTokens);
  serveNothing('users', noUsers);
  for (const endpoint of endpoints) serveNothing(endpoint, nothingAtAll);
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

describe('verify of days that are believed to be empty', () => {
  const emptyDays = 'empty_days';

  /** Lets the platform have rows of the day, of all endpoints, until the test ends. */
  function recover(): void {
    for (const endpoint of endpoints)
      installation.dataset.overrideRows(endpoint, day(nothingAtAll), undefined);
    onTestFinished(() => {
      for (const endpoint of endpoints) serveNothing(endpoint, nothingAtAll);
    });
  }

  /** What a verification asks beside the grouped figures and the question for the organization. */
  async function asked(of: string, until = of) {
    const before = installation.simulator.requests.length;
    const verified = await verify(installation, of, until);
    const requests = installation.simulator.requests
      .slice(before)
      .filter(({ query, days }) => query.group_by === undefined && (days?.from ?? '') <= to)
      .map(({ path, query }) => [path.split('/').at(-1), query]);
    return { ...verified, requests };
  }

  test('asks every endpoint for them once, for no more than one row of /users, and agrees with nothing', async () => {
    const { code, report, requests } = await asked(from, to);
    expect(code).toBe(0);
    expect(checkOf(report, emptyDays)).toEqual({
      name: emptyDays,
      compared: 5,
      ok: 5,
      remainders: 0,
      contradictions: 0,
    });
    const query = { startDate: nothingAtAll, endDate: nothingAtAll };
    expect(requests.toSorted()).toEqual(
      endpoints
        .map((endpoint) => [endpoint, endpoint === 'users' ? { ...query, limit: '1' } : query])
        .toSorted(),
    );
  });

  test('asks for no other day', async () => {
    const { report, requests } = await asked(from, noUsers);
    expect(requests).toEqual([]);
    expect(report.checks.map(({ name }) => name)).not.toContain(emptyDays);
  });

  test('contradicts where the platform has rows of them by now, of whatever endpoint, and keeps that', async () => {
    recover();
    const { code, report } = await verify(installation, from, to);
    expect(code).toBe(0);
    const contradictions = report.contradictions.filter(({ check: name }) => name === emptyDays);
    expect(contradictions.toSorted((a, b) => String(a.endpoint).localeCompare(String(b.endpoint)))).toEqual(
      endpoints.toSorted().map((endpoint) => ({
        check: emptyDays,
        endpoint,
        usage_date: nothingAtAll,
        expected: '1',
        actual: '0',
        detail: expect.stringContaining('believed to be empty'),
      })),
    );
    const kept = `select count(*)::integer as rows from etl.check_result
      where run_id = $1 and check_name = $2 and verdict = 'contradiction'`;
    expect((await query(kept, report.run_id, emptyDays)).rows).toEqual([{ rows: 5 }]);
    const strict = await installation.run(`verify --from ${nothingAtAll} --to ${nothingAtAll} --strict`);
    expect(strict.code).toBe(1);
    expect(strict.stdout).toMatch(new RegExp(`${emptyDays} users ${nothingAtAll}: rows of a day`));
  });

  test('counts no row of another day, and looks further for one of its own', async () => {
    const { dataset } = installation;
    onTestFinished(() => serveNothing('users', nothingAtAll));
    const row = (user_id: string, date: string) => ({ user_id, date, sessions: 1 });
    const ofOthers = [row('a', noUsers), row('b', to)];
    dataset.overrideRows('users', day(nothingAtAll), ofOthers);
    const without = await asked(nothingAtAll);
    expect(checkOf(without.report, emptyDays)).toMatchObject({ compared: 5, ok: 5, contradictions: 0 });
    dataset.overrideRows('users', day(nothingAtAll), [...ofOthers, row('c', nothingAtAll), row('d', to)]);
    const { report, requests } = await asked(nothingAtAll);
    expect(report.contradictions).toMatchObject([
      { check: emptyDays, endpoint: 'users', usage_date: nothingAtAll, expected: '1' },
    ]);
    expect(requests.filter(([endpoint]) => endpoint === 'users')).toHaveLength(3);
  });

  test('asks for neighbouring days together, and tells them apart', async () => {
    const [first, last] = ['2026-02-18', '2026-02-20'].map(day);
    if (first === undefined || last === undefined) throw new TypeError('expected two days');
    const days = [first, addDays(first, 1), last];
    for (const of of days) for (const endpoint of endpoints) serveNothing(endpoint, of);
    await installation.load(`backfill --from ${first} --to ${last}`);
    for (const endpoint of ['tools', 'users'])
      installation.dataset.overrideRows(endpoint, addDays(first, 1), undefined);
    const before = installation.simulator.requests.length;
    const { report } = await verify(installation, first, last);
    const windows = installation.simulator.requests
      .slice(before)
      .filter(({ days: of }) => of?.from === first)
      .map(({ path, days: of }) => `${path.split('/').at(-1)} ${of?.to}`);
    expect(windows.toSorted()).toEqual(
      endpoints.map((name) => `${name} ${name === 'users' ? first : last}`).toSorted(),
    );
    expect(
      report.contradictions.map(({ endpoint, usage_date }) => [endpoint, usage_date]).toSorted(),
    ).toEqual([
      ['tools', '2026-02-19'],
      ['users', '2026-02-19'],
    ]);
  });

  test('says which of them could not be asked for, and ends with exit code 1', async () => {
    failing = '/productivity';
    onTestFinished(() => {
      failing = undefined;
    });
    const { code, report } = await verify(installation, nothingAtAll);
    expect(code).toBe(1);
    expect(report.failures).toEqual([
      {
        check: emptyDays,
        part: `${nothingAtAll} to ${nothingAtAll}`,
        reason: expect.stringContaining('500'),
      },
    ]);
    expect(checkOf(report, emptyDays)).toMatchObject({ compared: 4, ok: 4 });
  });
});
