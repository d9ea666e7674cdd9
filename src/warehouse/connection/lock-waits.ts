/** Who keeps a statement of ours waiting: asked while it waits, because afterwards nobody knows. */
import type pg from 'pg';

/** A lock that a connection waits for. */
export interface LockWait {
  /** Process of the server that waits. */
  readonly pid: number;
  readonly waitedMs: number;
  /** Tables that it is about; empty where nobody can tell. */
  readonly tables: string;
  /** Who holds it, in words. */
  readonly holders: string;
  /** Whether the holder keeps everybody from the whole table. */
  readonly isOfWholeTable: boolean;
}

interface Row {
  readonly pid: number;
  readonly waited_ms: number;
  readonly tables: string;
  readonly holders: string;
  readonly is_of_whole_table: boolean;
}

/** Sessions `holder.pid`, in words. */
const holderInWords = `
  case when holder.pid = 0 then 'a prepared transaction' else
    'process ' || holder.pid || ' of the database server (role ' || coalesce(activity.usename, 'unknown')
      || coalesce(', ' || nullif(activity.application_name, ''), '') || ')'
  end`;

const tableName = `namespace.nspname || '.' || relation.relname`;

/**
 * The locks that the given processes of the server wait for. Where Postgres does not say which table a lock is about,
 * as with one on a transaction, it is among those that both sides write.
 */
export async function readLockWaits(client: pg.ClientBase, pids: readonly number[]): Promise<LockWait[]> {
  const { rows } = await client.query<Row>(
    `select
      waiting.pid,
      coalesce(extract(epoch from clock_timestamp() - waiting.waitstart) * 1000, 0)::float8 as waited_ms,
      coalesce(
        (
          select pg_catalog.string_agg(distinct ${tableName}, ', ')
          from pg_catalog.pg_locks as own
          left join pg_catalog.pg_index as of_index on of_index.indexrelid = own.relation
          join pg_catalog.pg_class as relation on relation.oid = coalesce(of_index.indrelid, own.relation)
          join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
          where own.pid = waiting.pid and (not own.granted or own.locktype = 'tuple')
        ),
        (
          select pg_catalog.string_agg(distinct ${tableName}, ', ')
          from pg_catalog.pg_locks as own
          join pg_catalog.pg_locks as theirs on theirs.relation = own.relation and theirs.database = own.database
          join pg_catalog.pg_class as relation on relation.oid = own.relation
          join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
          where own.pid = waiting.pid
            and theirs.pid = any(blocking.pids)
            and 'AccessShareLock' not in (own.mode, theirs.mode)
            and relation.relkind in ('r', 'p')
            and namespace.nspname in ('warehouse', 'etl')
        ),
        ''
      ) as tables,
      coalesce(
        (
          select pg_catalog.string_agg(distinct ${holderInWords}, ' and ')
          from pg_catalog.unnest(blocking.pids) as holder (pid)
          left join pg_catalog.pg_stat_activity as activity on activity.pid = holder.pid
        ),
        ''
      ) as holders,
      exists (
        select from pg_catalog.pg_locks as theirs
        where theirs.relation = waiting.relation
          and theirs.database = waiting.database
          and theirs.mode = 'AccessExclusiveLock'
          and theirs.pid = any(blocking.pids)
      ) as is_of_whole_table
    from pg_catalog.pg_locks as waiting
    cross join lateral (select pg_catalog.pg_blocking_pids(waiting.pid) as pids) as blocking
    where not waiting.granted
      and waiting.locktype <> 'advisory'
      and waiting.pid = any($1::integer[])`,
    [pids],
  );
  return rows.map(({ pid, waited_ms, tables, holders, is_of_whole_table }) => ({
    pid,
    waitedMs: waited_ms,
    tables,
    holders,
    isOfWholeTable: is_of_whole_table,
  }));
}

/**
 * Who keeps writers from tables of the warehouse at this moment: for a wait that was over before anybody could ask.
 * Undefined when nobody does any more.
 */
export async function readTableLocks(
  client: pg.ClientBase,
): Promise<Pick<LockWait, 'tables' | 'holders'> | undefined> {
  const { rows } = await client.query<{ tables: string | null; holders: string | null }>(
    `select pg_catalog.string_agg(distinct ${tableName}, ', ') as tables, pg_catalog.string_agg(distinct ${holderInWords}, ' and ') as holders
    from pg_catalog.pg_locks as holder
    join pg_catalog.pg_class as relation on relation.oid = holder.relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    left join pg_catalog.pg_stat_activity as activity on activity.pid = holder.pid
    where holder.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
      and holder.granted
      and holder.mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
      and holder.pid <> pg_catalog.pg_backend_pid()
      and relation.relkind in ('r', 'p')
      and namespace.nspname in ('warehouse', 'etl')`,
  );
  const { tables, holders } = rows[0] ?? {};
  return tables == null || holders == null ? undefined : { tables, holders };
}

/** A wait as the middle of a sentence: `for a lock on … that … holds`. */
export function describeWait({ tables, holders }: Pick<LockWait, 'tables' | 'holders'>): string {
  const on = tables === '' ? '' : ` on ${tables}`;
  return `for a lock${on} that ${holders === '' ? 'somebody else' : holders} holds`;
}
