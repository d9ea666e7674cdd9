/** What others make while a command begins is neither read nor run. */
import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../../src/model/errors.ts';
import { migrate } from '../../../src/warehouse/migrations/migrations.ts';
import { setUpEmptyDatabase, strike, wasStruck } from '../../support/foreign-owners.ts';
import { asPerson } from '../../support/planted-code.ts';
import { startPostgresProxy } from '../../support/postgres-proxy.ts';
import { programFile, startProgram } from '../../support/program.ts';

const shared = setUpEmptyDatabase();
const query = async (text: string) => (await shared().database.pool.query(text)).rows;

describe('while the first migrate begins', () => {
  /** What mallory does when `migrate` waits for her, or has taken its lock. */
  test('a schema that is made at that moment is refused, and nothing in it is run', async () => {
    await asPerson(shared().mallory, strike('integer', '1').replace('(anyelement)', '()'));
    const attack = new pg.Client({ connectionString: shared().mallory.url });
    await attack.connect();
    await attack.query(
      `begin; create schema etl;
      create view etl.migration as select public.strike()::text as name, ''::text as timestamp, ''::text as checksum;
      create view etl.lock_number as select public.strike() as lock_number, 'schema'::text as subject;
      grant all on schema etl to public; grant all on all tables in schema etl to public`,
    );
    const failure = migrate(shared().loader.url).then(
      () => undefined,
      (error: unknown) => error,
    );
    await expect
      .poll(
        async () =>
          await query(
            `select from pg_locks where pid in (select pid from pg_stat_activity where usename = '${shared().loader.role}')
              and (not granted or locktype = 'advisory')`,
          ),
        { timeout: 20_000 },
      )
      .not.toEqual([]);
    await attack.query('commit');
    await attack.end();
    expect(await failure).toBeInstanceOf(ConfigurationError);
    expect(String(await failure)).toContain(`schema etl (of role ${shared().mallory.role})`);
    expect(await wasStruck(shared())).toBe(false);
  });

  test('a schema that nobody may make is asked for before anything is read', async () => {
    await query(
      `revoke create on database ${shared().name} from ${shared().loader.role}; create schema warehouse authorization ${shared().loader.role}`,
    );
    await asPerson(shared().mallory, strike('integer', '1').replace('(anyelement)', '()'));
    await expect(migrate(shared().loader.url)).rejects.toMatchObject({
      statements: ['bi', 'bi_people', 'etl'].map(
        (name) => `create schema ${name} authorization ${shared().loader.role};`,
      ),
    });
  });
});

test('a schema that is made while a command begins is not read', async () => {
  await asPerson(shared().mallory, strike('boolean', 'true'));
  const plant = () =>
    asPerson(
      shared().mallory,
      `create schema etl; create table etl.migration (name text, timestamp text, checksum text);
      insert into etl.migration values ('0001_schemas_and_keys', '', null);
      alter table etl.migration enable row level security;
      create policy struck on etl.migration using (public.strike(name));
      grant all on schema etl to public; grant all on etl.migration to public`,
    );
  let planting: Promise<void> | undefined;
  let isLookedAt = false;
  const proxy = await startPostgresProxy(shared().loader.url, {
    fromClient(bytes, { upstream }) {
      if (isLookedAt) planting ??= plant();
      if (bytes.includes("'bi_people'")) isLookedAt = true;
      void Promise.resolve(planting).then(() => upstream.write(bytes));
    },
    fromServer: (bytes, { client }) => void client.write(bytes),
  });
  try {
    const { code, stderr } = await startProgram(programFile, ['status'], { DATABASE_URL: proxy.url }).ended;
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('the database lacks ') });
  } finally {
    await proxy.close();
  }
  expect(planting).toBeDefined();
  await planting;
  expect(await wasStruck(shared())).toBe(false);
});
