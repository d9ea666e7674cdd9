/**
 * The advisory locks of the warehouse, and the sessions that hold or await them. All locks but the demo's share one
 * number. It was drawn at random for this database and is stored in `etl.lock_number`, so that no other program uses it by
 * accident.
 */
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';

/** A session that holds a lock, or waits for it. */
export interface LockHolder {
  /** Process id of the server process; 0 for a prepared transaction. */
  readonly pid: number;
  readonly role: string;
  /** When the session connected, ISO 8601 in UTC; null where our role may not see that. */
  readonly since: string | null;
  readonly isShared: boolean;
  /** False: the session waits for the lock. */
  readonly isGranted: boolean;
  /** Whether the session may be a run or a `migrate`, see `isOursInSql`. */
  readonly isOurs: boolean;
}

const applicationName = 'usage-etl';

/**
 * An SQL expression for the oid of a table of the ledger; null when there is no such table. It also works for a role
 * without any right on the schema.
 */
export function ledgerTableInSql(name: string): string {
  return `(
    select relation.oid from pg_catalog.pg_class as relation
    join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
    where namespace.nspname = 'etl' and relation.relname = '${name}'
  )`;
}

/**
 * An SQL condition on a row of `pg_stat_activity` with the alias activity: whether that session may be one of ours. It has
 * our role, or it has our application name and may write the ledger. The name alone proves nothing: anybody can set it.
 */
export const isOursInSql = `(
  activity.usesysid = (select usesysid from pg_catalog.pg_stat_activity where pid = pg_catalog.pg_backend_pid())
  or (
    activity.application_name = '${applicationName}'
    and coalesce(pg_catalog.has_table_privilege(activity.usesysid, ${ledgerTableInSql('run')}, 'UPDATE'), false)
  )
)`;

/** Used until the first migration has drawn a number, so that two first migrations exclude each other. */
const numberBefore = 1_970_496_884;

/** An SQL expression for the number of a database that was migrated. */
export const lockNumberInSql = `coalesce((select lock_number from etl.lock_number), ${numberBefore})`;

/** An SQL condition on a row `held` of `pg_locks`: it is our lock `object` in this database. */
export function isLockInSql(number: string, object: string): string {
  return `(
    held.locktype = 'advisory'
    and held.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
    and held.classid = (${number})::oid
    and held.objid = (${object})::oid
    and held.objsubid = 2
  )`;
}

/** The number by connection. Once it is drawn, it never changes. */
const drawn = new WeakMap<pg.ClientBase, number>();

/** The number of this database; `numberBefore` until the first migration has committed. */
export async function readLockNumber(client: pg.ClientBase): Promise<number> {
  const known = drawn.get(client);
  if (known !== undefined) return known;
  const { rows: found } = await client.query<{ may_read: boolean }>(
    `select
      pg_catalog.has_schema_privilege(relation.relnamespace, 'USAGE')
        and pg_catalog.has_table_privilege(relation.oid, 'SELECT') as may_read
    from pg_catalog.pg_class as relation
    where relation.oid = ${ledgerTableInSql('lock_number')}`,
  );
  // A role that may not read the number may not migrate either; `migrate` tells it so.
  if (found[0]?.may_read !== true) return numberBefore;
  const { rows } = await client.query<{ number: number }>(`select ${lockNumberInSql} as number`);
  const number = rows[0]?.number ?? numberBefore;
  drawn.set(client, number);
  return number;
}

/** The other sessions that hold a lock or wait for it. */
export async function readHolders(client: pg.ClientBase, object: number): Promise<LockHolder[]> {
  const { rows } = await client.query<
    Record<'is_shared' | 'is_granted' | 'is_ours', boolean> & {
      pid: number;
      role: string;
      since: string | null;
    }
  >(
    `select
      coalesce(held.pid, 0) as pid,
      coalesce(activity.usename, 'unknown') as role,
      pg_catalog.to_char(activity.backend_start at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
      held.mode = 'ShareLock' as is_shared,
      held.granted as is_granted,
      coalesce(${isOursInSql}, false) as is_ours
    from pg_catalog.pg_locks as held
    left join pg_catalog.pg_stat_activity as activity on activity.pid = held.pid
    where ${isLockInSql('$1::integer', '$2::integer')}
      and held.pid is distinct from pg_catalog.pg_backend_pid()
      -- A session that has ended meanwhile holds nothing any more. A prepared transaction has no process.
      and (activity.pid is not null or held.pid is null)
    order by held.pid`,
    [await readLockNumber(client), object],
  );
  return rows.map(({ pid, role, since, is_shared, is_granted, is_ours }) => ({
    pid,
    role,
    since,
    isShared: is_shared,
    isGranted: is_granted,
    isOurs: is_ours,
  }));
}

/** A session that is not ours holds one of our locks. */
export class ForeignLockError extends WarehouseError {
  constructor(holders: readonly LockHolder[], lockInWords: string) {
    super(
      `${describeForeign(holders)} holds ${lockInWords}, and is no run of this program; ` +
        'let that session end, then run the job again',
    );
  }
}

/**
 * Takes a lock exclusively until the connection ends; false if another session of ours holds it. Throws
 * `ForeignLockError` when somebody else holds it: any role that may connect can take any advisory lock.
 */
export async function takeUnlessOurs(
  client: pg.ClientBase,
  object: number,
  lockInWords: string,
): Promise<boolean> {
  const number = await readLockNumber(client);
  for (;;) {
    const { rows } = await client.query<{ is_held: boolean }>(
      'select pg_catalog.pg_try_advisory_lock($1::integer, $2::integer) as is_held',
      [number, object],
    );
    if (rows[0]?.is_held === true) return true;
    const holders = await readHolders(client, object);
    if (holders.some(({ isOurs }) => isOurs)) return false;
    if (holders.length > 0) throw new ForeignLockError(holders, lockInWords);
  }
}

/** Describes the holders that are not ours, in words; empty when there are none. */
export function describeForeign(holders: readonly LockHolder[]): string {
  return holders
    .filter(({ isOurs }) => !isOurs)
    .map(({ pid, role, since }) => {
      const connected =
        since === null
          ? 'only an administrator can see since when it is connected'
          : `connected since ${since}`;
      return `role ${role} (process ${pid} of the database server, ${connected})`;
    })
    .join(' and ');
}
