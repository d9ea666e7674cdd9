import { describe, expect, test } from 'vitest';
import { type Day, day } from '../../src/model/day.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { expectedEmails } from '../support/expected-warehouse.ts';
import { type Installation, install } from '../support/installation.ts';
import { storedEmails } from '../support/stored-warehouse.ts';
import { bounds } from '../support/tiny-bounds.ts';

const days = ['2026-01-14', '2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18'].map(day);
const [from, to] = ['2026-01-14', '2026-01-18'];
const users = Array.from({ length: 70 }, (_, index) => index);

/** Each user has another address every day, and on some days none; which days differs from user to user. */
function emailOf(user: number, of: Day, endpoint: string): string | null {
  const hasNone = (user + days.indexOf(of) * 3) % 5 < 2 || user === 0;
  return hasNone ? null : `user.${user}.${of}.${endpoint}@example.com`;
}

function report({ dataset }: Installation, of: Day, note = ''): void {
  const entries = (endpoint: string) =>
    users.map((user) => {
      const email = emailOf(user, of, endpoint);
      return { user_id: `user_${user}`, user_email: email && `${note}${email}`, sessions: 1 };
    });
  dataset.overrideRows(
    'users',
    of,
    entries('users').map((row) => ({ ...row, date: of })),
  );
  dataset.overrideRows('tokens', of, [{ by_user: entries('tokens'), by_model: [], date: of }]);
}

describe.each(bounds)(
  'in slices %s, a user has the e-mail of the latest day that has one',
  (_where, sizes) => {
    const environment = { ...sizes, LOOKBACK_DAYS: '0' };
    const loadDays = (installation: Installation, first: string, last: string, options = '') =>
      loadInProcess(
        installation,
        `backfill --from ${first} --to ${last} --endpoints users,tokens${options}`,
        { environment },
      );

    async function expectEmails(installation: Installation, loaded: readonly string[] = days): Promise<void> {
      const payloads = loaded
        .flatMap((each) => installation.payloads(each, each))
        .filter(({ endpoint }) => endpoint === 'users' || endpoint === 'tokens');
      expect(await storedEmails(installation.database.pool)).toEqual(expectedEmails(payloads));
    }

    test('when all days come in one run, also when they are restated', async () => {
      await using installation = await install();
      for (const each of days) report(installation, each);
      expect((await loadDays(installation, from, to)).code).toBe(0);
      await expectEmails(installation);

      for (const each of days) report(installation, each, 'restated.');
      expect((await loadDays(installation, from, to, ' --force')).code).toBe(0);
      await expectEmails(installation);
    });

    test('when days come one by one in any order', async () => {
      await using installation = await install();
      for (const each of days) report(installation, each);
      const loaded: string[] = [];
      for (const index of [2, 4, 0, 3, 1]) {
        const of = days[index] ?? to;
        loaded.push(of);
        expect((await loadDays(installation, of, of)).code).toBe(0);
        await expectEmails(installation, loaded);
      }
    });

    test('when only an early day is restated', async () => {
      await using installation = await install();
      for (const each of days) report(installation, each);
      await loadDays(installation, from, to);
      report(installation, day('2026-01-15'), 'restated.');
      expect((await loadDays(installation, '2026-01-15', '2026-01-15', ' --force')).code).toBe(0);
      await expectEmails(installation);
    });
  },
);

test.each(['', ' ', '\t\u00a0\n'])(
  'an address %j is none: it does not take the place of a known one, and a later one takes its place',
  async (blank) => {
    await using installation = await install({ users: 3 });
    const { dataset, database } = installation;
    const [first, second, third] = days;
    if (first === undefined || second === undefined || third === undefined)
      throw new RangeError('three days');
    const reportUser = (of: Day, user_email: string) => {
      dataset.overrideRows('users', of, [{ user_id: 'u1', user_email, sessions: 1, date: of }]);
      dataset.overrideRows('tokens', of, [
        { by_user: [{ user_id: 'u1', user_email, by_model: [] }], by_model: [], date: of },
      ]);
    };
    const emails = async () => (await database.pool.query('select user_email from warehouse.dim_user')).rows;
    reportUser(first, 'ann@example.com');
    reportUser(second, blank);
    await loadInProcess(installation, `backfill --from ${first} --to ${second} --endpoints users,tokens`);
    expect(await emails()).toEqual([{ user_email: 'ann@example.com' }]);
    reportUser(third, 'new@example.com');
    await loadInProcess(installation, `backfill --from ${third} --to ${third} --endpoints users,tokens`);
    expect(await emails()).toEqual([{ user_email: 'new@example.com' }]);
  },
);
