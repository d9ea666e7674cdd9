import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { administer } from '../../tools/template-database.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { addMallory, addPerson, asPerson, type Person, plantOverloads } from '../support/planted-code.ts';
import { startStatementLog } from '../support/statement-log.ts';

let installation: Installation;
let database: TestDatabase;
let folder: string;
let mallory: Person;
let loader: Person;

beforeEach(async () => {
  installation = await install({ users: 5 });
  database = await createEmptyDatabase();
  folder = await mkdtemp(join(tmpdir(), 'usage-etl-planted-'));
  mallory = await addMallory(database);
  loader = await addPerson(database, 'loader');
  for (const schema of ['warehouse', 'bi', 'bi_people', 'etl'])
    await database.pool.query(`create schema ${schema} authorization ${loader.role}`);
});

afterEach(async () => {
  await database.drop();
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
  await administer(inject('testDatabases').adminUrl, async (admin) => {
    for (const { role } of [mallory, loader]) await admin.query(`drop role ${role}`);
  });
});

/** Whether planted code was called, and what it won. */
async function harm(): Promise<unknown> {
  const { rows } = await database.pool.query(
    `select calls.is_called, role.rolsuper as is_superuser
    from public.calls as calls join pg_catalog.pg_roles as role on role.rolname = $1`,
    [mallory.role],
  );
  return rows[0];
}

const none = { is_called: false, is_superuser: false };

async function endOf(commandLine: string, url: string) {
  const { code, stderr } = await installation.run(commandLine, { DATABASE_URL: url });
  return { commandLine, code, stderr };
}

/** Every command that works on a database, in an order in which each has something to do. */
async function allCommands(): Promise<string[]> {
  const [people, prices] = [join(folder, 'people.csv'), join(folder, 'prices.csv')];
  await writeFile(people, 'user_id,team,valid_from\nuser_1,core,2026-01-14\n');
  await writeFile(
    prices,
    'model_id,model_tier,price_per_million_credits,currency,valid_from\nmodel-1,*,12.50,EUR,2026-01-14\n',
  );
  return [
    'migrate',
    'migrate --status',
    'doctor',
    'backfill --from 2026-01-14 --to 2026-01-16',
    'backfill --from 2026-01-14 --to 2026-01-16 --force',
    `people import ${people}`,
    `prices import ${prices}`,
    'nightly --date 2026-01-17',
    'status',
    'verify --from 2026-01-14 --to 2026-01-17',
    'replay --from 2026-01-14 --to 2026-01-15',
    'forget-user user_1',
    'maintenance',
    `report --out ${join(folder, 'report.html')}`,
    'migrate',
  ];
}

test('what others put in the way of names is called by no command, for no role', async () => {
  await plantOverloads(mallory, [loader.role, 'postgres']);
  // A look into the catalog by somebody who takes no care makes the planter a superuser.
  await asPerson(
    { role: 'postgres', url: database.url },
    `select format('%I.%s', nspname, 'x'::text) from pg_namespace`,
  );
  expect(await harm()).toEqual({ is_called: true, is_superuser: true });
  await database.pool.query(`alter role ${mallory.role} nosuperuser; alter sequence public.calls restart`);

  for (const commandLine of await allCommands()) {
    expect(await endOf(commandLine, loader.url)).toEqual({ commandLine, code: 0, stderr: expect.anything() });
    expect({ commandLine, harm: await harm() }).toEqual({ commandLine, harm: none });
  }
  for (const schema of ['warehouse', 'bi', 'bi_people', 'etl'])
    await database.pool.query(`drop schema ${schema} cascade`);
  for (const commandLine of ['migrate', 'doctor', 'nightly --date 2026-01-17', 'status', 'migrate']) {
    expect(await endOf(commandLine, database.url)).toEqual({
      commandLine,
      code: 0,
      stderr: expect.anything(),
    });
    expect({ commandLine, harm: await harm() }).toEqual({ commandLine, harm: none });
  }
});

test('every connection begins with the search path, and every statement names the schemas of what is ours', async () => {
  const log = await startStatementLog(loader.url);
  try {
    for (const commandLine of await allCommands())
      expect(await endOf(commandLine, log.url)).toEqual({ commandLine, code: 0, stderr: expect.anything() });
  } finally {
    await log.close();
  }
  const connections = log.connections();
  expect(connections.length).toBeGreaterThan(20);
  for (const [first] of connections)
    expect(first).toMatch(
      /^select\s[^;]*pg_catalog\.set_config\('search_path', 'pg_catalog, pg_temp', (?:true|false)\)/,
    );

  const { rows } = await database.pool.query<{ relations: string[]; functions: string[] }>(
    `with ours as (select oid from pg_namespace where nspname in ('warehouse', 'bi', 'bi_people', 'etl'))
    select
      array(select relname::text from pg_class where relnamespace in (select oid from ours) and relkind in ('r', 'v')) as relations,
      array(select proname::text from pg_proc where pronamespace in (select oid from ours)) as functions`,
  );
  const [{ relations, functions } = { relations: [], functions: [] }] = rows;
  const relation = new RegExp(
    `\\b(?:from|join|into|update|table|view|copy|analyze)\\s+(?:only\\s+)?"?(?:${relations.join('|')}|staged_\\w+|last_portion|pg_(?!catalog|temp)\\w+)"?(?![\\w."(])`,
    'i',
  );
  const call = new RegExp(`(?<![\\w."])(?:${functions.join('|')})\\s*\\(`, 'i');
  const statements = [...new Set(connections.flat())].map(withoutWords);
  const named = statements.flatMap((statement) => {
    const own = [
      ...statement.matchAll(/\b(\w+)\s*(?:\([\w\s,]*\))?\s+as\s+(?:not\s+)?(?:materialized\s+)?\(/gi),
    ];
    const known = new Set(own.map(([, name]) => name));
    const [found = ''] = relation.exec(statement) ?? call.exec(statement) ?? [];
    return found === '' || known.has(found.split(/\s+/).at(-1)) ? [] : [`${found}: ${statement}`];
  });
  expect(named).toEqual([]);
});

/** A statement without its comments, its texts, and the bodies of functions. */
function withoutWords(statement: string): string {
  return statement
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''");
}
