import { expect, test } from 'vitest';
import { job as backfill } from '../../jobs/backfill.ts';
import { day } from '../../src/model/day.ts';
import { expectedEmails } from '../support/expected-warehouse.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Installation, install } from '../support/installation.ts';
import { storedEmails } from '../support/stored-warehouse.ts';

/** E-mails by day: one user is renamed, one loses the e-mail, one gets it late, one never has any. */
const reports: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  '2026-01-14': { renamed: 'old@example.com', lost: 'lost@example.com', late: null, never: null },
  '2026-01-15': { renamed: 'new@example.com', lost: null, late: null, never: null },
  '2026-01-16': { renamed: null, lost: null, late: 'late@example.com', never: null },
};

function report(
  installation: Installation,
  of: string,
  emails: Readonly<Record<string, string | null>>,
): void {
  const rows = Object.entries(emails).map(([user_id, user_email]) => ({ user_id, user_email, date: of }));
  installation.dataset.overrideRows('users', day(of), rows);
}

const orders: readonly (readonly string[])[] = [
  ['2026-01-14', '2026-01-15', '2026-01-16'],
  ['2026-01-16', '2026-01-15', '2026-01-14'],
  ['2026-01-15', '2026-01-16', '2026-01-14'],
];

test.each(orders)(
  'a user has the e-mail of the latest day that has one, loading %s, %s, %s',
  async (...order) => {
    await using installation = await install();
    const { database, environment, payloads } = installation;
    for (const [of, emails] of Object.entries(reports)) report(installation, of, emails);
    for (const [index, of] of order.entries()) {
      const { code } = await runInProcess(backfill, { endpoints: 'users', from: of, to: of }, environment);
      expect(code).toBe(0);
      const loaded = order.slice(0, index + 1).flatMap((each) => payloads(each, each));
      const users = loaded.filter(({ endpoint }) => endpoint === 'users');
      expect(await storedEmails(database.pool)).toEqual(expectedEmails(users));
    }
    expect(await storedEmails(database.pool)).toEqual({
      renamed: 'new@example.com',
      lost: 'lost@example.com',
      late: 'late@example.com',
      never: null,
    });
  },
);

test('a day that is restated without e-mails takes none away', async () => {
  await using installation = await install();
  const { database, environment } = installation;
  const of = '2026-01-14';
  report(installation, of, { user: 'user@example.com' });
  await runInProcess(backfill, { endpoints: 'users', from: of, to: of }, environment);
  report(installation, of, { user: null });
  await runInProcess(backfill, { endpoints: 'users', from: of, to: of, force: true }, environment);
  expect(await storedEmails(database.pool)).toEqual({ user: 'user@example.com' });
});

test('the e-mail in the token breakdown counts as well', async () => {
  await using installation = await install();
  const { database, dataset, environment } = installation;
  const byUser = (of: string, user_email: string | null) =>
    dataset.overrideRows('tokens', day(of), [{ date: of, by_user: [{ user_id: 'user', user_email }] }]);
  byUser('2026-01-14', 'first@example.com');
  byUser('2026-01-15', 'second@example.com');
  byUser('2026-01-16', null);
  const range = { from: '2026-01-14', to: '2026-01-16' };
  await runInProcess(backfill, { endpoints: 'tokens', ...range }, environment);
  expect(await storedEmails(database.pool)).toEqual({ user: 'second@example.com' });
});
