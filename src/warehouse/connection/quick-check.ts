/** A cheap SQL check for objects of other roles in our schemas; it runs whenever a database is opened. */
import { ownSchemasInSql } from './trusted-roles.ts';

/**
 * Returns which of our schemas exist, and whether `foreignThingsInSql` might find anything, in a quarter of its time.
 * It trusts only our role and the role that initialized the server, which owns the functions of Postgres; so it says
 * yes too often. It does not check what our own objects call: only our own roles can change that, and `migrate`
 * checks it.
 */
export const quickCheckInSql = `
  with usual (oids) as materialized (
    select array[10, pg_catalog.quote_ident(current_user)::pg_catalog.regrole]::pg_catalog.oid[]
  ),
  ours (oid, name, owner, acl) as materialized (
    select namespace.oid, namespace.nspname::pg_catalog.text, namespace.nspowner, namespace.nspacl
    from pg_catalog.pg_namespace as namespace
    where namespace.nspname in (${ownSchemasInSql})
  ),
  held (class_id, oid) as materialized (
    select depend.classid, depend.objid
    from pg_catalog.pg_depend as depend
    where depend.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
      and depend.refobjid = any (array(select ours.oid from ours))
  ),
  relation (oid, kind, owner, acl) as materialized (
    select relation.oid, relation.relkind, relation.relowner, relation.relacl
    from pg_catalog.pg_class as relation
    where relation.relnamespace = any (array(select ours.oid from ours))
  ),
  tables (oids) as materialized (
    select array(select relation.oid from relation where relation.kind in ('r', 'p'))
  ),
  owned (owner) as (
    select ours.owner from ours
    union all
    select relation.owner from relation
    union all
    select routine.proowner
    from pg_catalog.pg_proc as routine
    where routine.oid = any (array(
      select held.oid from held where held.class_id = 'pg_catalog.pg_proc'::pg_catalog.regclass
    ))
    union all
    select type.typowner
    from pg_catalog.pg_type as type
    where type.oid = any (array(
      select held.oid from held where held.class_id = 'pg_catalog.pg_type'::pg_catalog.regclass
    ))
  ),
  acls (acl) as (
    select relation.acl from relation where relation.kind in ('r', 'p') and relation.acl is not null
    union all
    select part.attacl
    from pg_catalog.pg_attribute as part
    where part.attacl is not null and part.attrelid = any ((select tables.oids from tables)::pg_catalog.oid[])
    union all
    select ours.acl from ours where ours.acl is not null
    union all
    select preset.defaclacl from pg_catalog.pg_default_acl as preset
  )
  select
    array(select ours.name from ours) as schemas,
    (session_user <> current_user
    or exists (select from owned where owned.owner <> all ((select usual.oids from usual)::pg_catalog.oid[]))
    or exists (
      select
      from pg_catalog.pg_trigger as fired
      where fired.tgrelid = any ((select tables.oids from tables)::pg_catalog.oid[])
        and (
          fired.tgqual is not null
          or (fired.tgconstrrelid <> 0 and fired.tgconstrrelid <> all ((select tables.oids from tables)::pg_catalog.oid[]))
          or (
            not fired.tgisinternal
            and fired.tgfoid not in (
              select held.oid from held where held.class_id = 'pg_catalog.pg_proc'::pg_catalog.regclass
            )
          )
        )
    )
    or exists (
      select
      from pg_catalog.pg_inherits as inheritance
      where inheritance.inhparent = any ((select tables.oids from tables)::pg_catalog.oid[])
    )
    or exists (
      select
      from acls
      cross join lateral pg_catalog.aclexplode(acls.acl) as item
      where item.privilege_type in ('TRIGGER', 'REFERENCES', 'CREATE')
        and item.grantee <> all ((select usual.oids from usual)::pg_catalog.oid[])
    )) as is_odd`;
