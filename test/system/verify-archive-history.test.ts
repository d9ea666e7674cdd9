/** `verify --archive` of a warehouse whose rows were restated, rejected, forgotten and withheld. */
import { beforeAll, describe, expect, test } from 'vitest';
import { byHand, check, verifyArchive } from '../support/archive-verification.ts';
import { commandInProcess } from '../support/commands-in-process.ts';
import { sharedInstallation } from '../support/installation.ts';
import { addQuirks, changeRows } from '../support/quirky-payloads.ts';

const installation = await sharedInstallation({ users: 120 });

describe('a warehouse with a history', () => {
  const [from, to] = ['2026-01-14', '2026-01-21'];
  const run = (commandLine: string, environment: Readonly<Record<string, string>> = {}) =>
    commandInProcess(installation, commandLine, { environment });
  const compare = (commandLine = `verify --archive --from ${from} --to ${to}`) =>
    verifyArchive(installation, commandLine);

  beforeAll(async () => {
    const { dataset } = installation;
    addQuirks(dataset);
    expect(await run(`backfill --from ${from} --to ${to}`)).toMatchObject({ code: 0 });
    // Restated; a record that cannot be read any more, and a breakdown that is missing, keep their rows.
    changeRows(dataset, 'users', '2026-01-15', (row, index) => {
      if (index === 0) return { ...row, sessions: 'many' };
      return index === 1 ? undefined : { ...row, sessions: 77 };
    });
    changeRows(dataset, 'tokens', '2026-01-17', ({ by_model, ...row }) => row);
    expect(await run(`backfill --from ${from} --to ${to} --force`)).toMatchObject({
      code: 0,
      json: { rows: { rejected: 1 } },
    });
  });

  test('contradicts its archive in nothing, whatever was restated, rejected, forgotten or withheld', async () => {
    const whole = { found: [], failures: [], archive: { slices_compared: 40, slices_not_compared: 0 } };
    expect(await compare()).toEqual(whole);
    // In chunks as in one piece.
    expect(
      await verifyArchive(
        { ...installation, environment: { ...installation.environment, CHUNK_BYTES: '2000' } },
        `verify --archive --from ${from} --to ${to}`,
      ),
    ).toEqual(whole);
    const { rows } = await installation.database.pool.query<{ user_id: string }>(
      `select user_id from warehouse.dim_user join warehouse.fact_user_daily using (user_key)
       group by user_id order by count(*) desc limit 2`,
    );
    const [first, second] = rows;
    expect(await run(`forget-user ${first?.user_id}`)).toMatchObject({ code: 0 });
    expect(await compare()).toEqual(whole);
    await run(`nightly --date ${to}`, { USER_EMAIL: 'none' });
    expect(await compare()).toEqual(whole);
    // Somebody whose name is known, and not yet taken out.
    await run(`forget-user ${second?.user_id}`);
    await installation.database.pool.query('delete from etl.forgotten_in');
    expect(await compare()).toEqual(whole);
  });

  test('writes nothing into the warehouse while it is compared', async () => {
    const written = async () =>
      (
        await installation.database.pool.query<{ table: string; xmin: string }>(
          `select c.relname as "table", (xpath('/row/x/text()', query_to_xml(format(
            'select string_agg(t.ctid::text || t.xmin::text, '' '' order by t.ctid) as x from %s as t', c.oid::regclass), false, true, '')))[1]::text as xmin
           from pg_class as c where c.relnamespace = 'warehouse'::regnamespace and c.relkind = 'r' order by 1`,
        )
      ).rows;
    await byHand(
      installation.database,
      "update warehouse.fact_activity_daily set sessions = 1 where usage_date = '2026-01-16'",
    );
    const before = await written();
    const { found } = await compare();
    expect(found).toMatchObject([
      {
        endpoint: 'activity',
        usage_date: '2026-01-16',
        actual: '1',
        detail: 'fact_activity_daily.sessions: expected as the raw archive gives it',
      },
    ]);
    expect(await written()).toEqual(before);
    const strict = await run(`verify --archive --strict --from 2026-01-16 --to 2026-01-16`);
    expect(strict.code).toBe(1);
    await run('replay');
  });

  test('says how many slices it has no archive of, and which archives are not whole', async () => {
    const { pool } = installation.database;
    await pool.query("delete from etl.raw_slice where usage_date = '2026-01-16' and endpoint = 'tools'");
    await pool.query(
      "update etl.slice set raw_chunks = null, raw_rows = null where usage_date = '2026-01-18'",
    );
    await pool.query(
      "update etl.slice set raw_rows = raw_rows + 1 where usage_date = '2026-01-19' and endpoint = 'users'",
    );
    const { found, archive, failures } = await compare();
    expect(found).toEqual([]);
    expect(archive).toEqual({ slices_compared: 33, slices_not_compared: 6 });
    expect(failures).toMatchObject([{ check, part: 'users 2026-01-19' }]);
    expect(failures[0]?.reason).toContain('is not whole');
  });
});
