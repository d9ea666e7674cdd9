/** Checks whether the database can be used, before a run does anything; each error says what to change. */
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { BoundedClient } from './bounded-client.ts';
import { withTwoBareClients } from './one-client.ts';
import { foreignTransaction, sessionOfBare } from './session-settings.ts';

const oldestServerVersion = 15;

/** Throws `ConfigurationError` if the server is too old, or the encoding cannot hold every name. */
export async function refuseUnsuitableServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version_number: string; version: string; encoding: string }>(
    `select
      pg_catalog.current_setting('server_version_num') as version_number,
      pg_catalog.current_setting('server_version') as version,
      pg_catalog.current_setting('server_encoding') as encoding`,
  );
  const server = rows[0];
  if (Number(server?.version_number) < oldestServerVersion * 10_000)
    throw unsuitable(
      `expected Postgres ${oldestServerVersion} or later, got ${server?.version}; use a newer server`,
    );
  if (server?.encoding !== 'UTF8')
    throw unsuitable(
      `expected a database with encoding UTF8, got ${server?.encoding}; ` +
        "create it with: create database … encoding 'UTF8' template template0",
    );
}

/** Throws `ConfigurationError` if the database is read-only: a replica, or by a setting. */
export async function refuseReadOnly(client: pg.ClientBase): Promise<void> {
  judgeReadOnly(await readAccess(client, true));
}

/** Throws `ConfigurationError` if the role may not create temporary tables. */
export async function refuseMissingTemp(client: pg.ClientBase): Promise<void> {
  judgeTemp(await readAccess(client, true));
}

/**
 * Throws `ConfigurationError` if the role may not read the existing tables, or, unless `readsOnly`, may not write
 * them.
 */
export async function refuseMissingRights(client: pg.ClientBase, readsOnly: boolean): Promise<void> {
  judgeRights(await readAccess(client, readsOnly), readsOnly);
}

/** All three checks with one query; for a command that only reads, the last one. */
export async function refuseMissingAccess(client: pg.ClientBase, readsOnly: boolean): Promise<void> {
  const access = await readAccess(client, readsOnly);
  if (!readsOnly) {
    judgeReadOnly(access);
    judgeTemp(access);
  }
  judgeRights(access, readsOnly);
}

/** The rights of our role in the database. */
interface Access {
  readonly is_replica: boolean;
  readonly is_read_only: boolean;
  readonly role: string;
  readonly database: string;
  readonly may_use_temp: boolean;
  /** Tables and sequences for which it lacks a right. */
  readonly lacking: readonly string[];
}

async function readAccess(client: pg.ClientBase, readsOnly: boolean): Promise<Access> {
  const { rows } = await client.query<Access>(
    `select
      pg_catalog.pg_is_in_recovery() as is_replica,
      pg_catalog.current_setting('default_transaction_read_only') = 'on' as is_read_only,
      pg_catalog.quote_ident(current_user) as role,
      pg_catalog.quote_ident(pg_catalog.current_database()) as database,
      pg_catalog.has_database_privilege(pg_catalog.current_database(), 'TEMP') as may_use_temp,
      array(
        select namespace.nspname || '.' || relation.relname as name
        from pg_catalog.pg_class as relation
        join pg_catalog.pg_namespace as namespace on namespace.oid = relation.relnamespace
        where namespace.nspname in ('warehouse', 'etl')
          and case
            when not pg_catalog.has_schema_privilege(namespace.oid, 'USAGE') then true
            when relation.relkind in ('r', 'p') then
              exists (select from pg_catalog.unnest($1::text[]) as needed where not pg_catalog.has_table_privilege(relation.oid, needed))
            when relation.relkind = 'S' then not ($2 or pg_catalog.has_sequence_privilege(relation.oid, 'USAGE'))
            else false
          end
        order by name
      ) as lacking`,
    [readsOnly ? ['SELECT'] : ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], readsOnly],
  );
  const [access] = rows;
  if (access === undefined) throw new TypeError('expected one row with the rights of our role, got none');
  return access;
}

function judgeReadOnly({ is_replica, is_read_only }: Access): void {
  if (is_replica) throw unsuitable('leads to a replica, which is read-only; name the primary server instead');
  if (is_read_only)
    throw unsuitable(
      'the database is read-only: default_transaction_read_only is on; switch that off for the server, the database ' +
        'or the role, or name another one; SECURITY.md tells what the role needs',
    );
}

function judgeTemp({ may_use_temp, role, database }: Access): void {
  if (!may_use_temp)
    throw unsuitable(
      `role ${role} lacks the right TEMP; an administrator may run: ` +
        `grant temporary on database ${database} to ${role}; see SECURITY.md`,
    );
}

function judgeRights({ lacking, role }: Access, readsOnly: boolean): void {
  const [first] = lacking;
  if (first === undefined) return;
  const others = lacking.length > 1 ? ` and ${lacking.length - 1} others` : '';
  throw unsuitable(
    `role ${role} lacks the right to ${readsOnly ? 'read' : 'read and write'} ${first}${others}; ` +
      'use the role that ran migrate; see SECURITY.md',
  );
}

/**
 * Throws `ConfigurationError` if a run cannot work through the connection pooler. A transaction pooler may use
 * another server session for each transaction, so a run would lose its locks without notice. Such a pooler gives the
 * second of two connections the session of the first, or gives the first another session while the second is in a
 * transaction. Other poolers keep the session of a client that has gone, with its transaction, and give it to the
 * next client.
 */
export async function refuseUnsafePooler(pool: pg.Pool): Promise<void> {
  const isPooled = await withTwoBareClients(pool, async (first, second) => {
    const atFirst = await sessionOfBare(first);
    try {
      await sessionOfBare(second);
      await second.query('begin');
      const other = await sessionOfBare(second, { isBegun: true });
      if (other === atFirst || (await sessionOfBare(first)) !== atFirst) return true;
      // `outlivesClient` waits until the server has noticed.
      if (second instanceof BoundedClient) second.end().catch(() => undefined);
      if (other !== undefined && (await outlivesClient(first, other)) && (await isGivenOn(pool, other)))
        throw foreignTransaction();
      return false;
    } catch (error) {
      // A statement pooler refuses `begin`.
      if (error instanceof Error && /statement pooling/i.test(error.message)) return true;
      throw error;
    } finally {
      // This fails only on a lost connection, and that ended the transaction.
      await second.query('rollback').catch(() => undefined);
    }
  });
  if (isPooled)
    throw unsuitable(
      'leads through a transaction pooler, such as PgBouncer with pool_mode = transaction, where the locks of a run do ' +
        'not hold; connect to the server itself, or to a pool with pool_mode = session',
    );
}

/** How long a server may take to end the transaction of a client that has disconnected. */
const longestDisconnectMs = 500;
const mostBetweenQueriesMs = 100;

/** Whether a server session is still in a transaction although its client has gone. */
async function outlivesClient(other: pg.ClientBase, pid: number): Promise<boolean> {
  const endsAt = performance.now() + longestDisconnectMs;
  for (let waitMs = 2; ; waitMs = Math.min(2 * waitMs, mostBetweenQueriesMs)) {
    // Qualified names, because the connection has no search path yet.
    const { rows } = await other.query<{ is_open: boolean }>(
      `select exists (
        select from pg_catalog.pg_stat_activity as activity
        where activity.pid operator(pg_catalog.=) $1::pg_catalog.int4 and activity.xact_start is not null
      ) as is_open`,
      [pid],
    );
    if (rows[0]?.is_open !== true) return false;
    if (performance.now() > endsAt) return true;
    await delay(waitMs);
  }
}

/**
 * Whether the next client gets this server session. A server without a pooler gives a new one, even if it has not
 * noticed yet that the old connection ended. Throws `ConfigurationError` if the next client is in another client's
 * transaction.
 */
async function isGivenOn(pool: pg.Pool, pid: number): Promise<boolean> {
  const next = await pool.connect();
  try {
    return (await sessionOfBare(next)) === pid;
  } finally {
    next.release();
  }
}

function unsuitable(sentence: string): ConfigurationError {
  return new ConfigurationError([`DATABASE_URL: ${sentence}`]);
}
