/** Who may read or write what only operators should: rights that somebody granted, or that default privileges gave. */
import type pg from 'pg';
import { trustedRolesInSql } from './trusted-roles.ts';

const mostNamed = 5;

/** What is wrong with rights that were given away, and what to do about it. */
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
 * Rights on tables and views of `etl`, `warehouse` and `bi_people` of roles that are not trusted, where one that has them can look
 * into the schema; `usage_people_reader` may read the last. Undefined when there are none.
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
    where namespace.nspname in ('etl', 'warehouse', 'bi_people')
      and item.grantee not in (select trusted.oid from trusted)
      and item.grantee <> relation.relowner
      -- one role may have the right, and another one that of looking into the schema
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
    problem: `${problem}${more}, where personal data and payloads are, and migrate did not grant it`,
    remedy:
      `let an administrator run \`${statements.join(' ')}\`, and revoke the default privileges that gave it (\\ddp in psql), ` +
      'unless it is meant',
  };
}
