import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { install } from '../support/installation.ts';

test('no key, password or e-mail is in any output or ledger of a run with every kind of trouble', async () => {
  const [key, password, email] = ['secret-key-4712', 'secret-password-4713', 'jane.doe@example.com'];
  const echo = `Bearer ${key} of ${email} at postgres://etl:${password}@db/usage was refused`;
  const problem = { title: echo, detail: echo, status: 400, requestId: 'req_echo' };
  await using installation = await install({
    apiKeys: { [key]: 'owner' },
    fault: ({ path, query }) => {
      if (!path.endsWith('/users')) return undefined;
      if (query.startDate === '2026-01-14') return { kind: 'status', status: 400, body: problem };
      if (query.startDate === '2026-01-15') return { kind: 'status', status: 503, body: problem };
      return undefined;
    },
  });
  const { database, dataset, environment, payloads, run } = installation;
  const of = day('2026-01-16');
  dataset.overrideRows(
    'users',
    of,
    [1, 2, 3].map((number) => ({
      user_id: `user_${number}`,
      user_email: email,
      date: of,
      tool_calls: email,
    })),
  );
  const [activity] = dataset.rows('activity', of);
  dataset.overrideRows('activity', of, [{ ...fieldsOf(activity), contact: email }]);

  const url = new URL(environment.DATABASE_URL ?? '');
  if (url.password === '') url.password = password;
  const ended = await run('backfill --from 2026-01-14 --to 2026-01-17', {
    API_KEY: key,
    DATABASE_URL: url.href,
    LOG_LEVEL: 'trace',
    MAX_RETRIES: '1',
  });
  expect(ended.code).toBe(1);
  expect(ended.stderr).toContain('req_echo');

  const { rows } = await database.pool.query<{ ledger: string; errors: string }>(
    `select
      (select count(*) from etl.slice where error is not null) as errors,
      (select json_agg(slice)::text from etl.slice) || (select json_agg(run)::text from etl.run) as ledger`,
  );
  expect(Number(rows[0]?.errors)).toBe(3);
  const emails = payloads('2026-01-14', '2026-01-17')
    .filter(({ endpoint }) => endpoint === 'tokens')
    .flatMap(({ rows: [row] }) => itemsOf(fieldsOf(row).by_user).map((user) => fieldsOf(user).user_email))
    .filter((reported) => typeof reported === 'string');
  expect(emails.length).toBeGreaterThan(10);
  const shown = `${ended.stdout}${ended.stderr}${rows[0]?.ledger}`;
  for (const secret of [key, password, url.password, email, 'jane.doe', ...emails])
    expect(shown).not.toContain(secret);
});

test('a database that refuses the password does not show it', async () => {
  await using installation = await install();
  const url = new URL(installation.environment.DATABASE_URL ?? '');
  [url.password, url.pathname] = ['secret-password-4713', '/no_such_database'];
  const { code, stdout, stderr } = await installation.run('nightly --date 2026-01-14', {
    DATABASE_URL: url.href,
    LOG_LEVEL: 'trace',
  });
  expect(code).toBe(2);
  expect(stderr).not.toBe('');
  expect(stdout + stderr).not.toContain('secret-password-4713');
});
