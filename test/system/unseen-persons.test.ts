/** Whoever reads the views does not learn who somebody is, whatever is tried. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownNamesOnly } from '../../tools/search-path.ts';
import { type Installation, install } from '../support/installation.ts';
import { changeRows } from '../support/quirky-payloads.ts';

const from = '2026-02-02';
const to = '2026-02-04';

let installation: Installation;
let analyst: pg.Client;
let emails: string[];
/** Everything that the server told the analyst beside rows. */
const notices: string[] = [];

beforeAll(async () => {
  installation = await install({ users: 30 });
  const { database, dataset } = installation;
  changeRows(dataset, 'tools', from, (row) => ({
    ...row,
    hooks_by_event: [
      { event: 'Stop', command: 'mail -s done hidden.person@example.com', count: 1 },
      {
        event: 'Stop',
        command: 'curl -H "Authorization: Bearer abcdef1234567890" https://u:secret@example.com',
        count: 1,
      },
    ],
  }));
  expect(await installation.load(`backfill --from ${from} --to ${to}`)).toMatchObject({ code: 0 });
  const { rows } = await database.pool.query<{ user_email: string }>(
    'select user_email from warehouse.dim_user where user_email is not null',
  );
  emails = [...rows.map(({ user_email }) => user_email), 'hidden.person@example.com'];
  expect(emails.length).toBeGreaterThan(5);
  await database.pool.query(
    `insert into warehouse.person_assignment select org_key, null, $1, 'Blue', null, null, '2026-01-01' from warehouse.dim_org`,
    [emails[0]],
  );
  await database.pool.query(
    `update etl.slice set status = 'failed', error = $1 where endpoint = 'users' and usage_date = $2`,
    [`expected a row, got ${emails[1]} <${emails[2]}>`, to],
  );
  await database.pool.query('analyze');
  analyst = new pg.Client({ ...ownNamesOnly, connectionString: database.url });
  await analyst.connect();
  analyst.on('notice', ({ message }) => notices.push(message ?? ''));
  await analyst.query(`
    create function pg_temp.tell(told text) returns boolean language plpgsql cost 0.0000001
    as $$ begin raise notice '%', told; return true; end $$`);
  await analyst.query('set role usage_analyst');
});

afterAll(async () => {
  await analyst?.end();
  await installation[Symbol.asyncDispose]();
});

/** What the analyst gets to read: rows, or the error with all that it says. */
async function readBy(text: string): Promise<string> {
  notices.length = 0;
  const told = await analyst.query(text).then(
    ({ rows }) => JSON.stringify(rows),
    (error: unknown) =>
      error instanceof pg.DatabaseError
        ? JSON.stringify([error.message, error.detail, error.hint, error.where, error.internalQuery])
        : String(error),
  );
  return [told, ...notices].join('\n');
}

function expectNobody(text: string): void {
  for (const email of emails) {
    expect(text).not.toContain(email);
    expect(text).not.toContain(email.slice(0, email.indexOf('@')));
  }
}

async function relationsIn(schemas: readonly string[]): Promise<{ name: string; columns: string[] }[]> {
  const { rows } = await installation.database.pool.query<{ name: string; columns: string[] }>(
    `select format('%I.%I', nspname, relname) as name,
      array(
        select attname::text from pg_attribute where attrelid = pg_class.oid and attnum > 0 and not attisdropped
      ) as columns
    from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where nspname = any ($1) and relkind in ('r', 'v', 'm', 'S') order by 1`,
    [schemas],
  );
  return rows;
}

test('no view, filter, cast error or cheap function shows an e-mail or a secret', async () => {
  const views = await relationsIn(['bi']);
  expect(views.length).toBeGreaterThan(20);
  for (const { name, columns } of views) {
    const shown = await readBy(`select to_jsonb(v) as row from ${name} as v`);
    expect(shown.startsWith('['), shown).toBe(true);
    expectNobody(shown);
    expect(shown).not.toMatch(/abcdef1234567890|u:secret/);
    expectNobody(await readBy(`select count(*) from ${name} as v where pg_temp.tell(v::text)`));
    expectNobody(await readBy(`explain (analyze, verbose) select * from ${name} as v where v::text <> ''`));
    for (const column of columns)
      for (const type of ['integer', 'date', 'jsonb', 'inet'])
        expectNobody(await readBy(`select "${column}"::text::${type} from ${name}`));
  }
});

test('users are told apart, by a label that is no e-mail', async () => {
  const { rows } = await analyst.query('select user_label from bi.users');
  for (const { user_label } of rows) expect(user_label).toMatch(/^.?\*\*\*@|^[^@]+$/);
});

test('no other schema can be read, nor its functions called', async () => {
  for (const { name } of await relationsIn(['warehouse', 'etl', 'bi_people'])) {
    const told = await readBy(`select * from ${name}`);
    expect(told).toMatch(/permission denied/);
    expectNobody(told);
  }
  const { rows } = await installation.database.pool.query<{ call: string }>(
    `select format('%I.%I(%s)', nspname, proname,
      (select string_agg('null::' || format_type(type, null), ', ') from unnest(proargtypes) as type)) as call
    from pg_proc join pg_namespace on pg_namespace.oid = pronamespace
    where nspname in ('warehouse', 'etl', 'bi', 'bi_people') and prorettype <> 'trigger'::regtype and prokind = 'f'`,
  );
  for (const { call } of rows) {
    const told = await readBy(`select ${call}`);
    expect(told, call).toMatch(/permission denied/);
  }
});

test('statistics and activity of the database show nobody', async () => {
  for (const catalog of ['pg_stats', 'pg_stats_ext', 'pg_stats_ext_exprs', 'pg_stat_activity', 'pg_settings'])
    expectNobody(await readBy(`select * from pg_catalog.${catalog}`));
  for (const catalog of ['pg_statistic', 'pg_statistic_ext_data', 'pg_authid'])
    expect(await readBy(`select * from pg_catalog.${catalog}`)).toMatch(/permission denied/);
  expect(await readBy(`select count(*) from pg_stats where schemaname in ('warehouse', 'etl')`)).toContain(
    '"0"',
  );
});

test('a reader of persons sees them, and nothing of warehouse and etl', async () => {
  await analyst.query('reset role');
  await analyst.query('set role usage_people_reader');
  try {
    expect(await readBy('select * from bi_people.users')).toContain(emails[0]);
    expect(await readBy('select count(*) from bi.daily_overview')).toMatch(/^\[/);
    expect(await readBy('select * from warehouse.dim_user')).toMatch(/permission denied/);
    expect(await readBy('select * from etl.raw_slice')).toMatch(/permission denied/);
  } finally {
    await analyst.query('reset role');
    await analyst.query('set role usage_analyst');
  }
});
