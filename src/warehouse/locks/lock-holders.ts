/** The sessions that use tables or views of the warehouse, so that `migrate` must wait for them. */
import type pg from 'pg';

const mostNamed = 5;

/** The other sessions that use tables or views of the warehouse now, with what they use, in words; empty when none does. */
export async function describeLockHolders(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ pid: number; role: string; application: string; uses: string }>(
    `select
      held.pid,
      coalesce(activity.usename, 'unknown') as role,
      coalesce(activity.application_name, '') as application,
      pg_catalog.string_agg(distinct namespace.nspname || '.' || relation.relname, ', ') as uses
    from pg_catalog.pg_locks as held
    join pg_catalog.pg_class as relation on relation.oid = held.relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    left join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
    where held.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and held.granted
      and held.pid <> pg_catalog.pg_backend_pid()
      and relation.relkind in ('r', 'p', 'v', 'm')
      and namespace.nspname in ('warehouse', 'bi', 'bi_people', 'etl', 'etl_queue')
    group by held.pid, activity.usename, activity.application_name
    order by held.pid`,
  );
  const named = rows
    .slice(0, mostNamed)
    .map(
      ({ pid, role, application, uses }) =>
        `process ${pid} (role ${role}${application === '' ? '' : `, ${application}`}) uses ${uses}`,
    );
  const rest = rows.length - named.length;
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join('; ');
}
