/** The template of all test databases: a migrated database. */
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate } from '../src/warehouse/migrations/migrations.ts';
import { ownNamesOnly } from './search-path.ts';

/** The template. The names of all databases of a test run begin with `prefix`. */
export interface TemplateDatabase {
  readonly prefix: string;
  readonly name: string;
}

/** Creates the template on a server. */
export async function createTemplate(adminUrl: string): Promise<TemplateDatabase> {
  const template = await createMigratedDatabase(adminUrl);
  // Postgres copies a database only while nobody is connected to it.
  await administer(adminUrl, (admin) =>
    admin.query(`alter database ${template.name} with allow_connections false`),
  );
  return template;
}

/** Creates and migrates a database on a server. */
export async function createMigratedDatabase(adminUrl: string): Promise<TemplateDatabase> {
  const prefix = `usage_test_${randomBytes(4).toString('hex')}_`;
  const name = `${prefix}template`;
  await administer(adminUrl, (admin) =>
    admin.query(`create database ${name} template template0 encoding 'UTF8'`),
  );
  try {
    await migrate(databaseUrl(adminUrl, name));
  } catch (error) {
    await dropTemplate(adminUrl, { prefix, name });
    throw error;
  }
  return { prefix, name };
}

/** Drops the template and all copies that tests left behind. */
export async function dropTemplate(adminUrl: string, { prefix }: TemplateDatabase): Promise<void> {
  await administer(adminUrl, async (admin) => {
    const { rows } = await admin.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows)
      await admin.query(`drop database if exists ${admin.escapeIdentifier(datname)} with (force)`);
  });
}

/** The URL of another database on the same server. */
export function databaseUrl(adminUrl: string, name: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(name)}`;
  return url.href;
}

/** Runs `task` on a separate connection to the administrative database. */
export async function administer<T>(adminUrl: string, task: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ ...ownNamesOnly, connectionString: adminUrl });
  await admin.connect();
  try {
    return await task(admin);
  } finally {
    await admin.end();
  }
}
