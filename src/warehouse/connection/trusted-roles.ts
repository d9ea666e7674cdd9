/** Whose things may be used, and the schemas that must be theirs, in SQL. */

/** The schemas of the warehouse. */
export const ownSchemas: readonly string[] = ['warehouse', 'bi', 'bi_people', 'etl'];

/** The same, for a list in SQL. */
export const ownSchemasInSql = ownSchemas.map((name) => `'${name}'`).join(', ');

/**
 * Roles whose things may be used, as `trusted (oid)`: ours, those that it is a member of, and superusers. A membership
 * counts when somebody granted it who may act as its member anyway: who makes roles can make anybody a member of what he
 * made, and before Postgres 16 of any role but superusers. To a superuser, only superusers are entitled. What came of making
 * a role does not count: analysts act as the one that a loader has made for them. Nor does the role that a superuser was
 * put into: the owner of a database sets that, and code of that role may become the superuser again.
 */
export const trustedRolesInSql = `
  with recursive of_role (oid) as (
    select role.oid
    from pg_catalog.pg_roles as role
    where (
        role.rolname = current_user
        -- the role that whoever owns the database is a member of, without being listed as one
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
      -- columns that there are since Postgres 16
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
