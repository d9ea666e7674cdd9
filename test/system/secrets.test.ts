import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { fieldsOf, itemsOf } from '../support/exact-json.ts';
import { install } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';

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

test('a key that comes back in payloads is in no ledger, log or output, wherever a text is cut', async () => {
  const key = 'kQ7vXw2ZpL9tRb4NcY8mJd';
  // So that it stands across every place where a text of some kind is cut, as it came and within JSON.
  const whole = [20, 35, 50, 58, 150, 170, 178, 186, 194, 480, 490, 498, 990].map(
    (length) => `${'x'.repeat(length)}${key} and more`,
  );
  const [first, second] = [key.slice(0, 11), key.slice(11)];
  const encoded = [
    Buffer.from(`user:${key}`).toString('base64'),
    Buffer.from(`users:${key}`).toString('base64url'),
    Buffer.from(key).toString('hex').replace(/../g, '%$&'),
    Buffer.from(key).toString('hex').replace(/../g, '\\\\u00$&'),
    [...key].map((each) => `&#${each.charCodeAt(0)};`).join(''),
  ];
  const echoes = [...whole, ...encoded, `${first}\r\n  ${second}`, `${first}\u00ad${second}`];
  await using installation = await install({
    apiKeys: { [key]: 'owner' },
    users: 10,
    fault: ({ query }) =>
      query.group_by === undefined
        ? undefined
        : {
            kind: 'mutate',
            mutate: (envelope) => {
              const { meta, data } = fieldsOf(envelope);
              return {
                meta,
                data: [
                  ...itemsOf(data),
                  ...echoes.map((echo) => ({ ...fieldsOf(itemsOf(data)[0]), group_key: echo })),
                ],
              };
            },
          },
  });
  const { database, dataset, run } = installation;
  const of = day('2026-01-16');
  const twice = echoes.flatMap((tool) => [1, 2].map((invocations) => ({ tool, invocations })));
  changeRows(dataset, 'tools', of, (row) => ({
    ...row,
    ...Object.fromEntries(echoes.map((echo, index) => [`known ${index}`, { echo }])),
    ...Object.fromEntries(echoes.map((echo) => [echo, 1])),
    by_tool: [...twice, ...echoes, ...echoes.map((echo) => ({ tool: 'Read', invocations: echo }))],
    mcp_by_server: echoes[7],
  }));
  changeRows(dataset, 'activity', of, (row) => ({ ...row, replaced: echoes.map((echo) => `\0${echo}`) }));
  dataset.overrideRows(
    'productivity',
    of,
    echoes.map((date) => ({ date, files_created: 1 })),
  );
  const environment = { API_KEY: key, LOG_LEVEL: 'trace', MAX_REJECTED_SHARE: '1' };
  const ended = [
    await run(`backfill --from ${of} --to ${of}`, environment),
    await run(`backfill --from ${of} --to ${of} --force --json`, environment),
    await run(`verify --from ${of} --to ${of}`, environment),
  ];
  // Entries that are no objects cannot be grouped by the simulated platform either.
  expect(ended.map(({ code }) => code)).toEqual([1, 1, 1]);

  const { rows } = await database.pool.query<{ ledger: string }>(
    ['run', 'slice', 'rejected_row', 'drift', 'check_result']
      .map((table) => `select json_agg(kept)::text as ledger from etl.${table} as kept`)
      .join(' union all '),
  );
  const texts = [
    ...ended.flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...rows.map(({ ledger }) => ledger),
  ];
  for (const text of texts) {
    expect(text).not.toBe('');
    for (let start = 0; start + 6 <= key.length; start++)
      expect(text).not.toContain(key.slice(start, start + 6));
    // However often what holds it was written as JSON.
    for (const each of encoded) expect(text.replace(/\\+/g, '\\\\')).not.toContain(each.slice(8, -8));
  }
  const { rows: kept } = await database.pool.query(
    `select
      (select count(*)::integer from etl.drift where example ~ 'redacted|…$' or path ~ 'redacted') > 20 as drifted,
      (select count(*)::integer from etl.rejected_row where payload::text ~ 'redacted') > 20 as rejected,
      (select count(*)::integer from etl.check_result where detail ~ 'redacted') > 3 as checked`,
  );
  expect(kept).toEqual([{ drifted: true, rejected: true, checked: true }]);
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
