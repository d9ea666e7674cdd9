import type pg from 'pg';
import { expect, test } from 'vitest';
import { day } from '../../src/model/day.ts';
import { openChunk } from '../../src/model/record-chunk.ts';
import { loadInProcess } from '../support/commands-in-process.ts';
import { type Installation, install } from '../support/installation.ts';

const of = '2026-01-15';
const command = `--from 2026-01-14 --to ${of}`;
const none = { environment: { USER_EMAIL: 'none' } };

/** Users whose addresses stand where they belong, where nobody expects them, and where nobody sees them at once. */
function report({ dataset }: Installation): void {
  dataset.overrideRows('users', day(of), [
    { user_id: 'plain', user_email: 'plain@planted.example', date: of },
    { user_id: 'id@planted.example', user_email: null, date: of, manager: 'unknown@planted.example' },
    { user_id: 'written', user_email: 'later\u0040planted.example', date: of },
    { user_id: 'rejected', user_email: 'rejected@planted.example', date: of, sessions: 'x@planted.example' },
  ]);
}

/** Every row of every table, and every archived record, in which an address stands. */
async function addressesIn(pool: pg.Pool): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('warehouse', 'bi', 'etl')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `select t::text as row from ${name} as t where t::text ~ '@(planted|example)'`,
    );
    found.push(...rows.map(({ row }) => `${name}: ${row}`));
  }
  const { rows: chunks } = await pool.query<{ payload: Buffer }>('select payload from etl.raw_slice');
  for (const { payload } of chunks)
    for (const { bytes } of await openChunk(payload))
      if (/@|\\u0040/i.test(bytes.toString())) found.push(`archive: ${bytes}`);
  return found;
}

/** Columns of which the planner remembers an address. */
async function addressesRemembered(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select tablename || '.' || attname as name from pg_stats
    where schemaname in ('warehouse', 'etl')
      and concat(most_common_vals, histogram_bounds, most_common_elems) ~ '@(planted|example)'`,
  );
  return rows.map(({ name }) => name);
}

/** What an address stands in when nobody withholds it, an archived answer and a rejected row that are hard to rewrite included. */
function reportNames(installation: Installation): void {
  report(installation);
  installation.dataset.overrideRows(
    'users',
    day('2026-01-14'),
    Array.from({ length: 40 }, (_, user) => ({ user_id: `u${user}@planted.example`, date: '2026-01-14' })),
  );
}

const countsOf = async ({ database }: Installation) =>
  (
    await database.pool.query(
      'select usage_date::text, count(*), sum(billable_tokens) from warehouse.fact_user_daily group by 1 order by 1',
    )
  ).rows;

test('with USER_EMAIL=none no address is stored anywhere, and every user stays one of their own', async () => {
  await using installation = await install({ users: 20 });
  report(installation);
  expect((await loadInProcess(installation, `backfill ${command}`, none)).code).toBe(0);
  expect(await addressesIn(installation.database.pool)).toEqual([]);
  const { rows } = await installation.database.pool.query(
    `select user_id from warehouse.dim_user join warehouse.fact_user_daily using (org_key, user_key)
      where usage_date = $1 order by 1`,
    [of],
  );
  expect(rows).toEqual([
    { user_id: expect.stringMatching(/^e-mail-[\da-f]{16}$/) },
    { user_id: 'plain' },
    { user_id: 'written' },
  ]);
});

test('by default e-mails are stored', async () => {
  await using installation = await install({ users: 20 });
  report(installation);
  await loadInProcess(installation, `backfill ${command}`);
  expect((await addressesIn(installation.database.pool)).join('\n')).toContain('plain@planted.example');
});

test('switching to USER_EMAIL=none removes what is stored with the next load, whatever that reads', async () => {
  await using installation = await install({ users: 20 });
  reportNames(installation);
  await loadInProcess(installation, `backfill ${command}`);
  await installation.database.pool.query(`
    insert into etl.rejected_row (org_key, endpoint, reason, payload)
    select org_key, 'users', 'made up', '{"command": "x\\nbob@planted.example"}' from warehouse.dim_org`);
  await installation.database.pool.query('analyze');
  const before = await countsOf(installation);
  expect(await addressesIn(installation.database.pool)).not.toEqual([]);
  expect(await addressesRemembered(installation.database.pool)).not.toEqual([]);
  const { code } = await loadInProcess(installation, 'backfill --from 2026-01-14 --to 2026-01-14', none);
  expect(code).toBe(0);
  expect(await addressesIn(installation.database.pool)).toEqual([]);
  expect(await addressesRemembered(installation.database.pool)).toEqual([]);
  expect(await countsOf(installation)).toEqual(before);
  for (const again of [`backfill ${command} --force`, `replay ${command}`]) {
    expect((await loadInProcess(installation, again, none)).code).toBe(0);
    expect(await addressesIn(installation.database.pool)).toEqual([]);
    expect(await countsOf(installation)).toEqual(before);
  }
});

test('an archived answer that cannot be read is removed, and the run goes on', async () => {
  await using installation = await install({ users: 20 });
  const { pool } = installation.database;
  await loadInProcess(installation, `backfill ${command}`);
  await pool.query("update etl.raw_slice set payload = '\\x00' where endpoint = 'tools'");
  expect((await loadInProcess(installation, 'nightly --date 2026-01-15', none)).code).toBe(0);
  expect(await addressesIn(pool)).toEqual([]);
  const { rows } = await pool.query(
    "select 1 from etl.slice where endpoint = 'tools' and raw_chunks is null",
  );
  expect(rows).toHaveLength(2);
});

test('addresses may be withheld, stored again, and withheld once more', async () => {
  await using installation = await install({ users: 20 });
  report(installation);
  for (const options of [none, {}, none]) {
    expect((await loadInProcess(installation, `backfill ${command} --force`, options)).code).toBe(0);
  }
  expect(await addressesIn(installation.database.pool)).toEqual([]);
});
