/** Advisory locks as Postgres shows them: a class, a number, and who holds or awaits them. */
import type pg from 'pg';

/** What a lock is for: the first half of its name. */
export const lockClasses = {
  schema: 1_970_496_884,
  run: 1_970_496_885,
  organization: 1_970_496_886,
} as const;

/** Whether others may hold it, too, in the same mode. */
export type LockMode = 'shared' | 'alone';

/** A session that holds a lock, or waits for it. */
export interface LockHolder {
  /** Process of the server; 0 for a prepared transaction. */
  readonly pid: number;
  readonly role: string;
  /** When it connected, ISO 8601 in UTC; null where our role may not see that. */
  readonly since: string | null;
  readonly isShared: boolean;
  /** False: it waits. */
  readonly isGranted: boolean;
  /** Whether it may be a run or a `migrate`: who connects as we do, and who may write the ledger and says so. */
  readonly isOurs: boolean;
}

const applicationName = 'usage-etl';

/** A table of the ledger in SQL, null when there is none; also for a role that may not even look into the schema. */
export function ledgerTableInSql(name: string): string {
  return `(
    select relation.oid from pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = 'etl' and relation.relname = '${name}'
  )`;
}

/**
 * A condition in SQL on `pg_stat_activity`, called activity: whether that session may be one of ours. Anybody can
 * call himself as we do, but not with our rights.
 */
export const isOursInSql = `(
  activity.usesysid = (select usesysid from pg_catalog.pg_stat_activity where pid = pg_catalog.pg_backend_pid())
  or (
    activity.application_name = '${applicationName}'
    and coalesce(pg_catalog.has_table_privilege(activity.usesysid, ${ledgerTableInSql('run')}, 'UPDATE'), false)
  )
)`;

/** A condition in SQL on a row `held` of `pg_locks`: an advisory lock of a class in this database. */
export function isOfClassInSql(lockClass: number): string {
  return `(
    held.locktype = 'advisory'
    and held.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
    and held.classid = ${lockClass}::oid
    and held.objsubid = 2
  )`;
}

/** Who else holds a lock or waits for it; without a number, any lock of the class. */
export async function readHolders(
  client: pg.ClientBase,
  lockClass: number,
  number?: number,
): Promise<(LockHolder & { readonly number: number })[]> {
  const { rows } = await client.query<
    Record<'is_shared' | 'is_granted' | 'is_ours', boolean> & {
      pid: number;
      number: string;
      role: string;
      since: string | null;
    }
  >(
    `select
      coalesce(held.pid, 0) as pid,
      held.objid::bigint as number,
      coalesce(activity.usename, 'unknown') as role,
      pg_catalog.to_char(activity.backend_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
      held.mode = 'ShareLock' as is_shared,
      held.granted as is_granted,
      coalesce(${isOursInSql}, false) as is_ours
    from pg_catalog.pg_locks as held
    left join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
    where ${isOfClassInSql(lockClass)}
      and ($1::bigint is null or held.objid::bigint = $1)
      and held.pid is distinct from pg_catalog.pg_backend_pid()
      -- Who has ended since holds nothing any more; a prepared transaction has no process.
      and (activity.pid is not null or held.pid is null)
    order by held.pid`,
    [number],
  );
  return rows.map(({ pid, number: held, role, since, is_shared, is_granted, is_ours }) => ({
    pid,
    number: Number(held),
    role,
    since,
    isShared: is_shared,
    isGranted: is_granted,
    isOurs: is_ours,
  }));
}

/** Takes a lock for as long as the connection lives, if it is free. */
export async function tryLock(
  client: pg.ClientBase,
  lockClass: number,
  number: number,
  mode: LockMode,
): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>(
    `select pg_catalog.pg_try_advisory_lock${suffixOf(mode)}($1::integer, $2::integer) as held`,
    [lockClass, number],
  );
  return rows[0]?.held === true;
}

/** Gives a lock back. */
export async function unlock(
  client: pg.ClientBase,
  lockClass: number,
  number: number,
  mode: LockMode,
): Promise<void> {
  await client.query(`select pg_catalog.pg_advisory_unlock${suffixOf(mode)}($1::integer, $2::integer)`, [
    lockClass,
    number,
  ]);
}

/** The end of the names of Postgres' functions for a mode. */
export function suffixOf(mode: LockMode): string {
  return mode === 'shared' ? '_shared' : '';
}

/** Those of another role, in words. */
export function describeForeign(holders: readonly LockHolder[]): string {
  return holders
    .filter(({ isOurs }) => !isOurs)
    .map(({ pid, role, since }) => {
      const connected =
        since === null ? 'connected since when only an administrator can see' : `connected since ${since}`;
      return `role ${role} (process ${pid} of the database server, ${connected})`;
    })
    .join(' and ');
}
