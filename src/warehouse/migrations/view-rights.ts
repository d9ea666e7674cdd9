/** Owner and grants of a view. They would be lost when the view is dropped and created again. */
import type pg from 'pg';

/** Owner and grants of a view; names are quoted for SQL. */
export interface ViewRights {
  readonly owner: string;
  /** Grants to roles other than the owner. */
  readonly grants: readonly ViewGrant[];
}

interface ViewGrant {
  /** A role, or `public`. */
  readonly grantee: string;
  readonly privilege: string;
  readonly isGrantable: boolean;
  /** The column of the grant; null for a grant on all columns. */
  readonly column: string | null;
}

/** Reads the rights of a view; undefined when there is no such view. */
export async function readViewRights(client: pg.ClientBase, view: string): Promise<ViewRights | undefined> {
  const { rows } = await client.query<{ owner: string; grants: ViewGrant[] }>(
    `with acl as (
      select relation.relowner, item.*, null as column_name
      from pg_catalog.pg_class as relation
      cross join pg_catalog.aclexplode(relation.relacl) as item
      where relation.oid = pg_catalog.to_regclass($1)
      union all
      select relation.relowner, item.*, pg_catalog.quote_ident(attribute.attname)
      from pg_catalog.pg_class as relation
      join pg_catalog.pg_attribute as attribute on attribute.attrelid = relation.oid and not attribute.attisdropped
      cross join pg_catalog.aclexplode(attribute.attacl) as item
      where relation.oid = pg_catalog.to_regclass($1)
    )
    select
      pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(relation.relowner)) as owner,
      coalesce(
        (
          select pg_catalog.json_agg(
            pg_catalog.json_build_object(
              'grantee', case acl.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(acl.grantee)) end,
              'privilege', acl.privilege_type,
              'isGrantable', acl.is_grantable,
              'column', acl.column_name
            )
          )
          from acl
          where acl.grantee <> acl.relowner
        ),
        '[]'
      ) as grants
    from pg_catalog.pg_class as relation
    where relation.oid = pg_catalog.to_regclass($1)`,
    [view],
  );
  return rows[0];
}

/**
 * Gives a view that was created again exactly the rights that it had, and takes away those that default privileges added.
 * Rights on a column that does not exist any more are left out.
 */
export async function restoreViewRights(
  client: pg.ClientBase,
  view: string,
  rights: ViewRights,
): Promise<void> {
  const now = await readViewRights(client, view);
  for (const grantee of new Set(now?.grants.map((grant) => grant.grantee)))
    await client.query(`revoke all on ${view} from ${grantee}`);
  const columns = await columnsOf(client, view);
  for (const { grantee, privilege, isGrantable, column } of rights.grants) {
    if (column !== null && !columns.has(column)) continue;
    const what = column === null ? privilege : `${privilege} (${column})`;
    await client.query(`grant ${what} on ${view} to ${grantee}${isGrantable ? ' with grant option' : ''}`);
  }
  if (now?.owner !== rights.owner) await client.query(`alter view ${view} owner to ${rights.owner}`);
}

async function columnsOf(client: pg.ClientBase, view: string): Promise<Set<string>> {
  const { rows } = await client.query<{ name: string }>(
    `select pg_catalog.quote_ident(attname) as name
    from pg_catalog.pg_attribute
    where attrelid = pg_catalog.to_regclass($1) and attnum > 0 and not attisdropped`,
    [view],
  );
  return new Set(rows.map(({ name }) => name));
}
