/** The role that the program connects as, and rights that every role has. */
import type pg from 'pg';

/** Our own role. */
export interface OwnRole {
  /** Quoted for SQL where needed. */
  readonly name: string;
  readonly isSuperuser: boolean;
}

/** Reads our own role. */
export async function readRole(client: pg.ClientBase): Promise<OwnRole> {
  const { rows } = await client.query<{ name: string; is_superuser: boolean }>(
    `select pg_catalog.quote_ident(role.rolname) as name, role.rolsuper as is_superuser
    from pg_catalog.pg_roles as role
    where role.rolname = current_user`,
  );
  return { name: rows[0]?.name ?? '', isSuperuser: rows[0]?.is_superuser === true };
}

/** The problem with a loader that is a superuser, and its remedy. */
export const superuserProblem = ({ name }: OwnRole) =>
  `role ${name} is a superuser, so that an attacker who controls the loader controls the whole server`;
export const superuserRemedy = 'use a role of its own, made as SECURITY.md says';

/** Whether any role may put tables and functions into the schema `public`. */
export async function isPublicOpen(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is_open: boolean }>(
    `select exists (
      select
      from pg_catalog.pg_namespace as namespace
      cross join lateral pg_catalog.aclexplode(namespace.nspacl) as item
      where namespace.nspname = 'public' and item.grantee = 0 and item.privilege_type = 'CREATE'
    ) as is_open`,
  );
  return rows[0]?.is_open === true;
}
