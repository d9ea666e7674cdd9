/**
 * Finds which session holds the lock that a statement waits for. Asked during the wait, because Postgres does not
 * know it afterwards.
 */
import type pg from 'pg';

/** A lock that a connection waits for. */
export interface LockWait {
  /** Process of the server that waits. */
  readonly pid: number;
  readonly waitedMs: number;
  /** The tables of the lock; empty if unknown. */
  readonly tables: string;
  /** The sessions that hold it, as text. */
  readonly holders: string;
  /** Whether the holder locks the whole table against everybody. */
  readonly isOfWholeTable: boolean;
}

interface Row {
  readonly pid: number;
  readonly waited_ms: number;
  readonly tables: string;
  readonly holders: string;
  readonly is_of_whole_table: boolean;
}

/** SQL that describes the session `holder.pid`. */
const holderInWords = `
  case when holder.pid = 0 then 'a prepared transaction' else
    'process ' || holder.pid || ' of the database server (role ' || coalesce(activity.usename, 'unknown')
      || coalesce(', ' || nullif(activity.application_name, ''), '') || ')'
  end`;

const tableName = `namespace.nspname || '.' || relation.relname`;

/**
 * The locks that the given server processes wait for. For a lock on a transaction Postgres does not name the table:
 * then `tables` has the tables that both sessions write.
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
 * The locks that now keep writers out of tables of the warehouse, for a wait that ended before it was examined.
 * Undefined if there are none.
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
  return `for a lock${on} that ${holders === '' ? 'another session' : holders} holds`;
}
