/** Finds roles that may read or write tables for operators only, by a grant or by default privileges. */
import type pg from 'pg';
import { trustedRolesInSql } from './trusted-roles.ts';

const mostNamed = 5;

/** A problem with granted rights, and its remedy. */
export interface OpenRights {
  readonly problem: string;
  readonly remedy: string;
}

interface OpenRight {
  readonly role: string;
  readonly schema: string;
  readonly rights: string;
  readonly relations: number;
}

/**
 * Rights of untrusted roles on tables and views of `etl`, `warehouse`, `bi_people` and `etl_queue`, if a role with the right may
 * also use the schema. `usage_people_reader` may read `bi_people`. Undefined if there are none.
 */
export async function readOpenRights(client: pg.ClientBase): Promise<OpenRights | undefined> {
  const { rows } = await client.query<OpenRight>(
    `${trustedRolesInSql}
    select
      case item.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(item.grantee)) end as role,
      namespace.nspname::text as schema,
      pg_catalog.string_agg(distinct item.privilege_type, ', ') as rights,
      pg_catalog.count(distinct relation.oid)::integer as relations
    from pg_catalog.pg_namespace as namespace
    join pg_catalog.pg_class as relation on relation.relnamespace = namespace.oid and relation.relkind in ('r', 'p', 'v', 'm')
    cross join lateral (
      select relation.relacl as acl where relation.relacl is not null
      union all
      select part.attacl
      from pg_catalog.pg_attribute as part
      where part.attrelid = relation.oid and part.attacl is not null
    ) as granted
    cross join lateral pg_catalog.aclexplode(granted.acl) as item
    where namespace.nspname in ('etl', 'warehouse', 'bi_people', 'etl_queue')
      and item.grantee not in (select trusted.oid from trusted)
      and item.grantee <> relation.relowner
      -- a right on a table is useless without USAGE on its schema
      and exists (
        select
        from pg_catalog.pg_roles as role
        where role.oid not in (select trusted.oid from trusted)
          and pg_catalog.has_schema_privilege(role.oid, namespace.oid, 'USAGE')
          and (item.grantee = 0 or pg_catalog.pg_has_role(role.oid, item.grantee, 'USAGE'))
      )
      and not (
        namespace.nspname = 'bi_people'
        and item.privilege_type = 'SELECT'
        and item.grantee in (select role.oid from pg_catalog.pg_roles as role where role.rolname = 'usage_people_reader')
      )
    group by item.grantee, namespace.nspname
    order by item.grantee <> 0, schema, role`,
  );
  if (rows.length === 0) return undefined;
  const named = rows.slice(0, mostNamed);
  const rest = rows.length - named.length;
  const more = rest > 0 ? ` and ${rest} more` : '';
  const problem = named
    .map(
      ({ role, schema, rights, relations }) =>
        `role ${role} has ${rights} on ${relations} tables and views of ${schema}`,
    )
    .join(', ');
  const statements = named.map(
    ({ role, schema }) => `revoke all on all tables in schema ${schema} from ${role} cascade;`,
  );
  return {
    problem: `${problem}${more}, which hold personal data and payloads; migrate did not grant this`,
    remedy:
      `let an administrator run \`${statements.join(' ')}\`, and revoke the default privileges that gave it (\\ddp in psql), ` +
      'unless you want this',
  };
}
