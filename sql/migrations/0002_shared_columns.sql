-- Procedures for columns that many tables have: the migrations call them for each new table.

-- BI tools find the joins by the foreign keys. From Postgres 18 on the keys of the star schema are not enforced, so they cost
-- a load nothing: the loader guarantees them, and the check orphan_keys proves it. Before 18 every foreign key is enforced.
create procedure etl.add_foreign_key(of_table regclass, of_column name, to_table regclass, to_column name)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
begin
  execute format(
    'alter table %s add foreign key (%I) references %s (%I)%s',
    of_table,
    of_column,
    to_table,
    to_column,
    case when current_setting('server_version_num')::integer >= 180000 then ' not enforced' else '' end
  );
end
$$;

comment on procedure etl.add_foreign_key(regclass, name, regclass, name) is
  'Adds a foreign key to a table of the star schema; it is not enforced from Postgres 18 on.';

-- A digest in a primary key is a generated column. By default a publication does not contain generated columns, and from
-- Postgres 18 on such a key is then no replica identity. So row_id is the replica identity of these tables.
create procedure etl.add_row_id(of_table regclass)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  index_name constant text := (select relname from pg_catalog.pg_class where oid = of_table) || '_row_id_key';
begin
  execute format('alter table %s add column row_id bigint generated always as identity', of_table);
  execute format('create unique index %I on %s (row_id)', index_name, of_table);
  execute format('alter table %s replica identity using index %I', of_table, index_name);
  execute format(
    'comment on column %s.row_id is %L',
    of_table, 'Names the row, for logical replication. Nothing refers to it.'
  );
end
$$;

comment on procedure etl.add_row_id(regclass) is
  'For a table with a digest in its primary key: adds the column row_id as the replica identity.';

create procedure etl.describe_generated_columns(of_table regclass)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  generated record;
begin
  for generated in
    select
      a.attname as column_name,
      case
        when a.attname like '%\_shown' then format(
          '%s as BI shows it, with … instead of anything that looks like an e-mail, a key, a password or a token. Not unique.',
          regexp_replace(a.attname, '_shown$', '')
        )
        else format('Digest of %s, see warehouse.natural_key_digest.', regexp_replace(a.attname, '_digest$', ''))
      end as description
    from pg_catalog.pg_attribute as a
    where a.attrelid = of_table
      and a.attgenerated <> ''
      and a.attname ~ '_(shown|digest)$'
      and col_description(of_table, a.attnum) is null
  loop
    execute format('comment on column %s.%I is %L', of_table, generated.column_name, generated.description);
  end loop;
end
$$;

comment on procedure etl.describe_generated_columns(regclass) is
  'Comments on digests and on the texts as BI shows them, where a table has none of its own.';

-- A fact has the measures of one organization on one UTC day, at the grain that its comment states. Measures are nullable: null is "not reported", 0 is "none". No table has an index besides its primary key: an index costs
-- time in every load, and the key serves the queries of BI (one organization, a range of days, joins to small dimensions).
-- The key begins with the organization, so that a table can be distributed by it.
create procedure etl.describe_shared_columns(of_table regclass)
language plpgsql
set search_path = pg_catalog, pg_temp
as $$
declare
  shared record;
begin
  call etl.describe_generated_columns(of_table);
  for shared in
    select
      a.attname as column_name,
      coalesce(known.description, format('See %s.', d.relname)) as description,
      d.oid::regclass as dimension,
      k.attname as dimension_key
    from pg_catalog.pg_attribute as a
    left join (
      values
        ('org_key', 'org_key', 'Organization, see dim_org.'),
        ('usage_date', 'date_day', 'UTC day that the row is about, see dim_date.'),
        ('snapshot_date', 'date_day', 'UTC day on which the row was read, see dim_date.'),
        ('user_key', 'user_key', 'User, see dim_user.'),
        ('model_key', 'model_key', 'Model and tier, see dim_model.'),
        ('tool_key', 'tool_key', 'Tool, see dim_tool.'),
        ('mcp_server_key', 'mcp_server_key', 'MCP server as spelled, see dim_mcp_server.'),
        ('skill_key', 'skill_key', 'Skill, see dim_skill.'),
        ('slash_command_key', 'slash_command_key', 'Slash command, see dim_slash_command.'),
        ('hook_key', 'hook_key', 'Hook, see dim_hook.'),
        ('client_key', 'client_key', 'Client type, see dim_client.'),
        ('autonomy_level_key', 'autonomy_level_key', 'Autonomy level, see dim_autonomy_level.'),
        ('file_extension_key', 'file_extension_key', 'File extension, see dim_file_extension.'),
        ('language_key', 'language_key', 'Programming language, see dim_language.'),
        ('primary_model_key', 'model_key', 'Model that the user used most, see dim_model; null when not reported.'),
        ('delegation_level_key', 'autonomy_level_key', 'Delegation level of the user, see dim_autonomy_level; null when not reported.'),
        ('loaded_at', null, 'When the values of the row last changed. A load with equal values does not change it.')
    ) as known (column_name, dimension_key, description) on known.column_name = a.attname
    left join (
      pg_catalog.pg_constraint as p
      join pg_catalog.pg_class as d on d.oid = p.conrelid
      join pg_catalog.pg_attribute as k on k.attrelid = d.oid and k.attnum = p.conkey[1]
    ) on p.contype = 'p'
      and cardinality(p.conkey) = 1
      and d.relnamespace = 'warehouse'::regnamespace
      and d.relname ~ '^dim_'
      and k.attname = coalesce(known.dimension_key, a.attname)
    where a.attrelid = of_table
      and a.attnum > 0
      and not a.attisdropped
      and (known.description is not null or d.oid is not null)
    order by a.attnum
  loop
    execute format('comment on column %s.%I is %L', of_table, shared.column_name, shared.description);
    if shared.dimension is not null then
      call etl.add_foreign_key(of_table, shared.column_name, shared.dimension, shared.dimension_key);
    end if;
  end loop;
end
$$;

comment on procedure etl.describe_shared_columns(regclass) is
  'For a new fact or bridge: comments on org_key, the day, keys of dimensions, digests, texts as BI shows them and loaded_at, and the foreign keys.';
