/** A database with two roles: a loader, who owns the warehouse's schemas, and mallory, who wants others to run her code. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from 'vitest';
import { ConfigurationError } from '../../src/model/errors.ts';
import { refuseForeignOwners } from '../../src/warehouse/connection/foreign-owners.ts';
import { withClient } from '../../src/warehouse/connection/one-client.ts';
import { migrate } from '../../src/warehouse/migrations/migrations.ts';
import { administer } from '../../tools/template-database.ts';
import { createEmptyDatabase, keepForCopies, type LoadedDatabase, type TestDatabase } from './database.ts';
import { addMallory, addPerson, type Person } from './planted-code.ts';

/** The database of a test, and its roles; each test has a new database. */
export interface SharedDatabase {
  readonly database: TestDatabase;
  readonly name: string;
  readonly mallory: Person;
  readonly loader: Person;
  /** Roles that are dropped after the test, in this order: others may depend on the last one. */
  readonly persons: Person[];
}

/** Prepares an empty database with new roles before each test of a file. */
export function setUpEmptyDatabase(): () => SharedDatabase {
  let current: SharedDatabase | undefined;
  beforeEach(async () => {
    current = await shareDatabase();
  });
  afterEach(async () => {
    await current?.database.drop();
    await dropRoles(current?.persons ?? []);
  });
  return () => given(current);
}

/** Prepares, before each test of a file, a new database that the loader has migrated. The roles are always the same. */
export function setUpMigratedDatabase(): () => SharedDatabase {
  let [migrated, current]: [SharedDatabase?, SharedDatabase?] = [];
  let copies: LoadedDatabase | undefined;
  beforeAll(async () => {
    migrated = await shareDatabase();
    await migrate(migrated.loader.url);
    copies = await keepForCopies(migrated.database);
  });
  beforeEach(async () => {
    const { mallory, loader, persons } = given(migrated);
    const database = await given(copies).copy();
    current = {
      ...asOn(database),
      mallory: personIn(database, mallory),
      loader: personIn(database, loader),
      persons,
    };
    await grantCreate(current);
    // A copy keeps the rights on objects in the database, but not those on the database itself.
    await database.pool.query(`grant all on database ${current.name} to ${mallory.role}`);
  });
  afterEach(() => current?.database.drop());
  afterAll(async () => {
    await copies?.drop();
    await dropRoles(migrated?.persons ?? []);
  });
  return () => given(current);
}

async function shareDatabase(): Promise<SharedDatabase> {
  const database = await createEmptyDatabase();
  const mallory = await addMallory(database);
  const loader = await addPerson(database, 'loader');
  const shared = { ...asOn(database), mallory, loader, persons: [mallory, loader] };
  await grantCreate(shared);
  return shared;
}

const asOn = (database: TestDatabase) => ({ database, name: new URL(database.url).pathname.slice(1) });

const personIn = ({ url }: TestDatabase, person: Person): Person => ({
  ...person,
  url: Object.assign(new URL(person.url), { pathname: new URL(url).pathname }).href,
});

async function grantCreate({ database, name, loader }: SharedDatabase): Promise<void> {
  await database.pool.query(`grant create on database ${name} to ${loader.role}`);
}

async function dropRoles(persons: readonly Person[]): Promise<void> {
  await administer(inject('testDatabases').adminUrl, async (admin) => {
    for (const { role } of persons) await admin.query(`drop role ${role}`);
  });
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError('expected to be called by a test');
  return value;
}

/** The message of `refuseForeignOwners` for the role in `url`; undefined when it refuses nothing. */
export async function toldOfOwners(url: string, isThorough = false): Promise<string | undefined> {
  try {
    await withClient(url, (client) => refuseForeignOwners(client, { isThorough }));
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error instanceof Error ? error.message : undefined;
  }
}

/** Statements for a function of mallory's that notes in `public.calls` that it was called. */
export const strike = (returns: string, value: string) => `
  create sequence if not exists public.calls;
  grant all on sequence public.calls to public;
  create function public.strike${value === 'new' ? '()' : '(anyelement)'} returns ${returns} language plpgsql as $f$
  begin
    perform pg_catalog.nextval('public.calls');
    return ${value};
  end
  $f$;`;

/** Whether the function that `strike` creates was called. */
export async function wasStruck({ database }: SharedDatabase): Promise<boolean | undefined> {
  const { rows } = await database.pool.query<{ is_called: boolean }>('select is_called from public.calls');
  return rows[0]?.is_called;
}
