/** Finds what `migrate` needs an administrator for: schemas and roles that its own role may not create. */
import type pg from 'pg';
import { AdministratorNeededError } from '../../model/errors.ts';
import { ownSchemas } from '../connection/trusted-roles.ts';

/** A role of the warehouse: a group without login. */
export interface NeededRole {
  readonly name: string;
  /** Roles whose rights it has. */
  readonly memberOf: readonly string[];
}

/** The schemas and roles that the files in `sql/` use. A test fails when one of them is missing in `needed`. */
export interface Needed {
  readonly schemas: readonly string[];
  readonly roles: readonly NeededRole[];
}

/** The schemas and roles that this version of the program needs. */
export const needed: Needed = { schemas: ownSchemas, roles: [] };

/**
 * Throws `AdministratorNeededError` when a needed schema or role is missing and our role may not create it, or when our role
 * may not use it. Changes nothing.
 */
export async function refuseWithoutAdministrator(client: pg.ClientBase, needs: Needed): Promise<void> {
  const { rows } = await client.query<{ role: string; database: string; may_create: boolean }>(
    `select
      pg_catalog.quote_ident(current_user) as role,
      pg_catalog.quote_ident(pg_catalog.current_database()) as database,
      pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') as may_create`,
  );
  const [{ role, database, may_create } = { role: '', database: '', may_create: true }] = rows;
  const statements = [
    ...(await schemaStatements(client, needs.schemas, role, may_create)),
    ...(await roleStatements(client, needs.roles)),
  ];
  if (statements.length > 0)
    throw new AdministratorNeededError(
      `DATABASE_URL: role ${role} lacks a right (CREATE, CREATEROLE) that migrate needs; nothing was changed; let an ` +
        `administrator run these statements in database ${database}, then run migrate again; see SECURITY.md`,
      statements,
    );
}

/** Whether a schema exists and our role may use it, or our role may create it. */
export async function mayUseSchema(client: pg.ClientBase, schema: string): Promise<boolean> {
  const { rows } = await client.query<{ may_create: boolean }>(
    `select pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') as may_create`,
  );
  return (await schemaStatements(client, [schema], '', rows[0]?.may_create === true)).length === 0;
}

async function schemaStatements(
  client: pg.ClientBase,
  schemas: readonly string[],
  role: string,
  mayCreate: boolean,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; exists: boolean; may_use: boolean }>(
    `select
      wanted.name,
      namespace.oid is not null as exists,
      pg_catalog.has_schema_privilege(namespace.oid, 'USAGE') and pg_catalog.has_schema_privilege(namespace.oid, 'CREATE') as may_use
    from pg_catalog.unnest($1::text[]) with ordinality as wanted (name, position)
    left join pg_catalog.pg_namespace as namespace on namespace.nspname = wanted.name
    order by wanted.position`,
    [schemas],
  );
  return rows.flatMap(({ name, exists, may_use }) => {
    if (!exists) return mayCreate ? [] : [`create schema ${name} authorization ${role};`];
    return may_use ? [] : [`grant usage, create on schema ${name} to ${role};`];
  });
}

async function roleStatements(client: pg.ClientBase, roles: readonly NeededRole[]): Promise<string[]> {
  const { rows } = await client.query<{ may_create: boolean; existing: string[] }>(
    `select
      exists (select from pg_catalog.pg_roles where rolname = current_user and (rolcreaterole or rolsuper)) as may_create,
      array(select rolname::text from pg_catalog.pg_roles where rolname = any($1)) as existing`,
    [roles.map(({ name }) => name)],
  );
  const { may_create = true, existing = [] } = rows[0] ?? {};
  if (may_create) return [];
  return roles
    .filter(({ name }) => !existing.includes(name))
    .map(({ name, memberOf }) => {
      const membership = memberOf.length === 0 ? '' : ` in role ${memberOf.join(', ')}`;
      return `create role ${name} nologin${membership};`;
    });
}
