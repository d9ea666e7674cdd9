/** The role that the program connects as, and what others may do beside it. */
import type pg from 'pg';

/** The role that we are. */
export interface OwnRole {
  /** As SQL wants it. */
  readonly name: string;
  readonly isSuperuser: boolean;
}

/** Who we are in the database. */
export async function readRole(client: pg.ClientBase): Promise<OwnRole> {
  const { rows } = await client.query<{ name: string; is_superuser: boolean }>(
    `select pg_catalog.quote_ident(role.rolname) as name, role.rolsuper as is_superuser
    from pg_catalog.pg_roles as role
    where role.rolname = current_user`,
  );
  return { name: rows[0]?.name ?? '', isSuperuser: rows[0]?.is_superuser === true };
}

/** What is wrong with a superuser who loads, and what to do about it. */
export const superuserProblem = ({ name }: OwnRole) =>
  `role ${name} is a superuser, so that whoever gets hold of the loader has the whole server`;
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
