/** SQL for the roles that are trusted, and the schemas whose objects must belong to them. */

/** The schemas of the warehouse. */
export const ownSchemas: readonly string[] = ['warehouse', 'bi', 'bi_people', 'etl'];

/** The schema of the queue. Only databases that `worker` uses need it. */
export const queueSchema = 'etl_queue';

/** All these schemas as a list in SQL. */
export const ownSchemasInSql = [...ownSchemas, queueSchema].map((name) => `'${name}'`).join(', ');

/**
 * Trusted roles, as `trusted (oid)`: our own role, the roles that it is a member of, and superusers. A membership
 * counts only if its grantor could act as the member anyway: a superuser, the member, an administrator of the member,
 * or before Postgres 16 a role with CREATEROLE. Otherwise any role with CREATEROLE could add us to a role of its own.
 * For a superuser only memberships that superusers granted count. A membership that exists only because our role
 * created the other role does not count: analysts act as the role that a loader created for them. If a superuser runs
 * under another role (`set role`), that role is not trusted: the owner of the database can set it, and its code could
 * become the superuser again.
 */
export const trustedRolesInSql = `
  with recursive of_role (oid) as (
    select role.oid
    from pg_catalog.pg_roles as role
    where (
        role.rolname = current_user
        -- the owner of the database is a member of this role, without a row in the catalog
        or role.rolname = 'pg_database_owner' and exists (
          select
          from pg_catalog.pg_database as own
          where own.datname = pg_catalog.current_database()
            and pg_catalog.pg_get_userbyid(own.datdba) = current_user
        )
      )
      and (
        role.rolsuper
        or not exists (select from pg_catalog.pg_roles as login where login.rolname = session_user and login.rolsuper)
      )
    union
    select membership.roleid
    from of_role
    join pg_catalog.pg_auth_members as membership on membership.member = of_role.oid
    join pg_catalog.pg_roles as member on member.oid = membership.member
    join pg_catalog.pg_roles as grantor on grantor.oid = membership.grantor
    where (
        grantor.rolsuper
        or grantor.oid = member.oid
        or (
          not member.rolsuper
          and (
            (
              grantor.rolcreaterole
              and pg_catalog.current_setting('server_version_num')::pg_catalog.int4 < 160000
            )
            or exists (
              select
              from pg_catalog.pg_auth_members as held
              where held.roleid = member.oid and held.member = grantor.oid and held.admin_option
            )
          )
        )
      )
      -- Postgres 16 has added these columns
      and not (
        membership.admin_option
        and pg_catalog.to_jsonb(membership) @> '{"inherit_option": false, "set_option": false}'
      )
  ),
  trusted (oid) as materialized (
    select of_role.oid from of_role
    union
    select role.oid from pg_catalog.pg_roles as role where role.rolsuper
  )`;
