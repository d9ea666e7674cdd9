/**
 * The advisory locks of the warehouse, and who holds or awaits them. All have one number, which was drawn once for the
 * database and stands in `etl.lock_number`: no other program comes by it.
 */
import type pg from 'pg';
import { WarehouseError } from '../../model/errors.ts';

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

/** Before the first migration there is no number: whoever migrates at the same time comes by this one. */
const numberBefore = 1_970_496_884;

/** The number of this database in SQL, once it was migrated. */
export const lockNumberInSql = `coalesce((select lock_number from etl.lock_number), ${numberBefore})`;

/** A condition in SQL on a row `held` of `pg_locks`: the lock `object` of the number, in this database. */
export function isLockInSql(number: string, object: string): string {
  return `(
    held.locktype = 'advisory'
    and held.database = (select oid from pg_catalog.pg_database where datname = pg_catalog.current_database())
    and held.classid = (${number})::oid
    and held.objid = (${object})::oid
    and held.objsubid = 2
  )`;
}

/** On each connection: once it was drawn, it stays. */
const drawn = new WeakMap<pg.ClientBase, number>();

/** The number of this database; another one than after the first migration where that has not ended. */
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
  // Who may not read it may not migrate either, and is told so there.
  if (found[0]?.may_read !== true) return numberBefore;
  const { rows } = await client.query<{ number: number }>(`select ${lockNumberInSql} as number`);
  const number = rows[0]?.number ?? numberBefore;
  drawn.set(client, number);
  return number;
}

/** Who else holds a lock, or waits for it. */
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
      -- Who has ended since holds nothing any more; a prepared transaction has no process.
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

/** Somebody who is no run of ours holds a lock of ours. */
export class ForeignLockError extends WarehouseError {
  constructor(holders: readonly LockHolder[], lockInWords: string) {
    super(
      `${describeForeign(holders)} holds ${lockInWords}, and is no run of this program; ` +
        'let that session end, then run the job again',
    );
  }
}

/**
 * Takes a lock alone for as long as the connection lives; false when one of ours holds it. Throws `ForeignLockError`
 * naming who else does: any role that may connect can hold any advisory lock.
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
