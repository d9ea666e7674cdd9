/** Servers, databases and roles with settings of their own: the program means the same under all of them. */
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { openPool, withSession } from '../../src/warehouse/connection/connection.ts';
import { administer } from '../../tools/template-database.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { expectedWarehouse } from '../support/expected-warehouse.ts';
import { type Installation, install, organization } from '../support/installation.ts';
import { addPerson, type Person } from '../support/planted-code.ts';
import { storedWarehouse } from '../support/stored-warehouse.ts';

const [from, to] = ['2026-01-14', '2026-01-15'];

type Setting = readonly [name: string, value: string];

/** What a role may have set for itself, where the server knows it. */
const hostile: readonly Setting[] = [
  ['array_nulls', 'off'],
  ['statement_timeout', '40ms'],
  ['transaction_timeout', '500ms'],
  ['idle_in_transaction_session_timeout', '500ms'],
  ['idle_session_timeout', '1s'],
  ['datestyle', 'German'],
  ['intervalstyle', 'iso_8601'],
  ['timezone', 'Pacific/Kiritimati'],
  ['bytea_output', 'escape'],
  ['extra_float_digits', '-15'],
  ['standard_conforming_strings', 'off'],
  ['quote_all_identifiers', 'on'],
  ['default_transaction_isolation', 'serializable'],
  ['exit_on_error', 'on'],
  // Since minor versions of August 2024.
  ['restrict_nonsystem_relation_kind', 'view, foreign-table'],
  ['plan_cache_mode', 'force_generic_plan'],
];

/** To compile the first statement alone takes longer than a short limit allows. */
const compiling: readonly Setting[] = [
  ['jit', 'on'],
  ['jit_above_cost', '0'],
  ['jit_inline_above_cost', '0'],
  ['jit_optimize_above_cost', '0'],
];

let installation: Installation;
let database: TestDatabase;
let loader: Person;

beforeEach(async () => {
  installation = await install({ users: 5 });
  database = await createEmptyDatabase();
  loader = await addPerson(database, 'loader');
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`alter database ${name} owner to ${loader.role}`);
});

/** Sets for all sessions of the loader what the server knows of. */
async function giveSettings(settings: readonly Setting[]): Promise<void> {
  const { rows } = await database.pool.query<{ name: string }>('select name from pg_settings');
  const known = new Set(rows.map(({ name }) => name));
  for (const [setting, value] of settings)
    if (known.has(setting))
      await database.pool.query(`alter role ${loader.role} set ${setting} = '${value}'`);
}

afterEach(async () => {
  await database.drop();
  await installation[Symbol.asyncDispose]();
  await administer(inject('testDatabases').adminUrl, (admin) => admin.query(`drop role ${loader.role}`));
});

test.each([
  ['limits and forms of values', hostile],
  ['when statements are compiled', compiling],
])(
  'whatever a role has set for its sessions (%s), commands end well, and what they load is exact',
  async (_, settings) => {
    await giveSettings(settings);
    const environment = { DATABASE_URL: loader.url };
    for (const command of [
      'migrate',
      `backfill --from ${from} --to ${to}`,
      `verify --from ${from} --to ${to}`,
      `replay --from ${from} --to ${to}`,
      'status',
      'migrate',
    ]) {
      const { code, stderr } = await installation.run(command, environment);
      expect({ command, code, stderr }).toEqual({ command, code: 0, stderr: expect.anything() });
    }
    expect(await storedWarehouse(database.pool)).toEqual(
      expectedWarehouse(organization, installation.payloads(from, to)),
    );
  },
);

test('sessions compile no statements, whatever a role has set', async () => {
  await giveSettings(compiling);
  const pool = openPool(loader.url, 1);
  try {
    const { rows } = await withSession(pool, ({ client }) => client.query('show jit'));
    expect(rows).toEqual([{ jit: 'off' }]);
  } finally {
    await pool.end();
  }
});
