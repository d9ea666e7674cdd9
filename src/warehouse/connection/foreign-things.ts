/** SQL that finds objects of other roles that would run with our rights, each with its owner. */
import { ownSchemasInSql, trustedRolesInSql } from './trusted-roles.ts';

/** With these rights on a table a role can make its code run with the rights of the table's users. */
const rightsToRun = `('TRIGGER', 'REFERENCES')`;

/**
 * A trigger that calls only a function of a trusted role, for example one that a DBA made to audit a table, under a
 * condition that only compares. It calls no function of Postgres or of an extension, because some of these run a text
 * as SQL.
 */
const isPlainTrigger = `
  exists (
    select
    from pg_catalog.pg_proc as made
    where made.oid = fired.tgfoid
      and made.proowner in (select trusted.oid from trusted)
      and made.pronamespace <> 'pg_catalog'::pg_catalog.regnamespace
  )
  and not exists (
    select
    from pg_catalog.pg_depend as part
    where part.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and part.objid = fired.tgfoid and part.deptype = 'e'
  )
  and fired.tgqual::pg_catalog.text
    !~ '\\{(?!(?:VAR|CONST|OPEXPR|BOOLEXPR|NULLTEST|DISTINCTEXPR|SCALARARRAYOPEXPR|ARRAYEXPR|RELABELTYPE)\\M)[A-Z]' is not false
  and not exists (
    select
    from pg_catalog.pg_depend as part
    where part.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass
      and part.objid = fired.oid
      and part.refclassid <> 'pg_catalog.pg_class'::pg_catalog.regclass
      and part.refobjid <> fired.tgfoid
  )`;

/** The end of a `revoke` statement: the role, and `cascade`. */
const revokedFrom = `case item.grantee when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(item.grantee)) end || ' cascade'`;

/**
 * - Objects of other roles in our schemas, and functions of other roles that an object there calls.
 * - Triggers that are not plain (`isPlainTrigger`): a trigger has no owner, and some functions of Postgres run text
 *   as SQL. A foreign key's trigger is judged with its constraint.
 * - Tables of other roles that reference ours, because the key's comparisons and casts are theirs, and tables that
 *   inherit from ours.
 * - Rights that let other roles create such an object later.
 */
export const foreignThingsInSql = `${trustedRolesInSql},
  ours (oid, name, owner, acl) as materialized (
    select namespace.oid, pg_catalog.quote_ident(namespace.nspname), namespace.nspowner, namespace.nspacl
    from pg_catalog.pg_namespace as namespace
    where namespace.nspname in (${ownSchemasInSql})
  ),
  relation (oid, name, schema, kind, owner, acl) as materialized (
    select
      relation.oid,
      ours.name || '.' || pg_catalog.quote_ident(relation.relname),
      ours.name,
      relation.relkind,
      relation.relowner,
      relation.relacl
    from ours
    join pg_catalog.pg_class as relation on relation.relnamespace = ours.oid
  ),
  routine (oid, name, owner) as materialized (
    select routine.oid, 'function ' || routine.oid::pg_catalog.regprocedure::pg_catalog.text, routine.proowner
    from ours
    join pg_catalog.pg_proc as routine on routine.pronamespace = ours.oid
  ),
  called (class_id, oid, callee, owner) as materialized (
    select depend.classid, depend.objid, 'function ' || callee.oid::pg_catalog.regprocedure::pg_catalog.text, callee.proowner
    from pg_catalog.pg_depend as depend
    join pg_catalog.pg_proc as callee on callee.oid = depend.refobjid
    where depend.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
      and callee.proowner not in (select trusted.oid from trusted)
    union all
    select depend.classid, depend.objid, 'operator ' || callee.oid::pg_catalog.regoperator::pg_catalog.text, callee.oprowner
    from pg_catalog.pg_depend as depend
    join pg_catalog.pg_operator as callee on callee.oid = depend.refobjid
    where depend.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
      and callee.oprowner not in (select trusted.oid from trusted)
  ),
  found (thing, owner, remedy) as (
    select 'schema ' || ours.name, ours.owner, null from ours
    union all
    select
      case relation.kind
        when 'v' then 'view '
        when 'm' then 'materialized view '
        when 'S' then 'sequence '
        when 'c' then 'type '
        when 'f' then 'foreign table '
        else 'table '
      end || relation.name,
      relation.owner,
      null
    from relation
    where relation.kind in ('r', 'p', 'v', 'm', 'S', 'f', 'c')
    union all
    select routine.name, routine.owner, null from routine
    union all
    select 'type ' || ours.name || '.' || pg_catalog.quote_ident(type.typname), type.typowner, null
    from ours
    join pg_catalog.pg_type as type on type.typnamespace = ours.oid
    -- row types and array types belong to their table or element type
    where type.typrelid = 0 and type.typelem = 0
    union all
    select pg_catalog.pg_describe_object(called.class_id, called.oid, 0) || ', which calls ' || called.callee, called.owner, null
    from called
    -- only the place of the object, not the tables that it reads
    join pg_catalog.pg_depend as place
      on place.classid = called.class_id
      and place.objid = called.oid
      and place.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
      and place.deptype in ('a', 'i')
    join relation on relation.oid = place.refobjid
    where called.class_id <> 'pg_catalog.pg_trigger'::pg_catalog.regclass
    union all
    select
      'trigger ' || pg_catalog.quote_ident(fired.tgname) || ' on table ' || relation.name || ', which calls function '
        || fired.tgfoid::pg_catalog.regprocedure::pg_catalog.text
        || case when fired.tgqual is null then '' else ' under a condition' end,
      null,
      pg_catalog.format('drop trigger %I on %s', fired.tgname, relation.name)
    from relation
    join pg_catalog.pg_trigger as fired on fired.tgrelid = relation.oid
    where relation.kind in ('r', 'p')
      and not fired.tgisinternal
      and not (${isPlainTrigger})
    union all
    select
      'table ' || other.oid::pg_catalog.regclass::pg_catalog.text || ', which refers to ' || relation.name,
      other.relowner,
      pg_catalog.format('alter table %s drop constraint %I', other.oid::pg_catalog.regclass, key.conname)
    from relation
    join pg_catalog.pg_trigger as fired on fired.tgrelid = relation.oid
    join pg_catalog.pg_constraint as key on key.oid = fired.tgconstraint
    join pg_catalog.pg_class as other on other.oid = key.conrelid
    where key.confrelid = relation.oid
    union all
    -- reads and writes of our table reach its child tables, too
    select
      'table ' || heir.oid::pg_catalog.regclass::pg_catalog.text || ', which inherits from ' || relation.name,
      heir.relowner,
      pg_catalog.format('alter table %s no inherit %s', heir.oid::pg_catalog.regclass, relation.name)
    from relation
    join pg_catalog.pg_inherits as inheritance on inheritance.inhparent = relation.oid
    join pg_catalog.pg_class as heir on heir.oid = inheritance.inhrelid
    where relation.kind = 'r'
    union all
    select
      'the right ' || item.privilege_type || ' on table ' || relation.name,
      item.grantee,
      pg_catalog.format('revoke trigger, references on all tables in schema %s from ', relation.schema) || ${revokedFrom}
    from (
      select relation.schema, relation.name, relation.acl
      from relation
      where relation.kind in ('r', 'p') and relation.acl is not null
      union all
      select relation.schema, relation.name, part.attacl
      from relation
      join pg_catalog.pg_attribute as part on part.attrelid = relation.oid
      where relation.kind in ('r', 'p') and part.attacl is not null
    ) as relation
    cross join lateral pg_catalog.aclexplode(relation.acl) as item
    where item.privilege_type in ${rightsToRun}
    union all
    select
      'the right CREATE on schema ' || ours.name,
      item.grantee,
      pg_catalog.format('revoke create on schema %s from ', ours.name) || ${revokedFrom}
    from ours
    cross join lateral pg_catalog.aclexplode(ours.acl) as item
    where item.privilege_type = 'CREATE'
    union all
    -- these rights hold on temporary tables, too, and a run makes some
    select
      'the right ' || item.privilege_type || ' on tables that role ' || pg_catalog.quote_ident(current_user) || ' will make'
        || coalesce(' in schema ' || ours.name, ''),
      item.grantee,
      'alter default privileges for role ' || pg_catalog.quote_ident(current_user) || coalesce(' in schema ' || ours.name, '')
        || ' revoke trigger, references on tables from ' || ${revokedFrom}
    from pg_catalog.pg_default_acl as preset
    left join ours on ours.oid = preset.defaclnamespace
    cross join lateral pg_catalog.aclexplode(preset.defaclacl) as item
    where item.privilege_type in ${rightsToRun}
      and preset.defaclobjtype = 'r'
      and preset.defaclrole = (select role.oid from pg_catalog.pg_roles as role where role.rolname = current_user)
      and (preset.defaclnamespace = 0 or ours.oid is not null)
  )
  select distinct
    pg_catalog.quote_ident(session_user) as role,
    found.thing,
    case found.owner when 0 then 'public' else pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(found.owner)) end as owner,
    found.remedy
  from found
  where found.owner is null or found.owner not in (select trusted.oid from trusted)
  order by thing, owner, remedy`;
