/** Whether a database can be used as it is: asked before anything is done, told with what to change. */
import type pg from 'pg';
import { ConfigurationError } from '../../model/errors.ts';
import { withTwoBareClients } from './one-client.ts';

const oldestServerVersion = 15;

/** Throws `ConfigurationError` when the server is too old, or the database cannot hold every name. */
export async function refuseUnsuitableServer(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ version_number: string; version: string; encoding: string }>(
    `select
      current_setting('server_version_num') as version_number,
      current_setting('server_version') as version,
      current_setting('server_encoding') as encoding`,
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

/** Throws `ConfigurationError` when nothing can be written: on a replica, and where a setting says so. */
export async function refuseReadOnly(client: pg.ClientBase): Promise<void> {
  judgeReadOnly(await readAccess(client, true));
}

/** Throws `ConfigurationError` when the role may not make temporary tables. */
export async function refuseMissingTemp(client: pg.ClientBase): Promise<void> {
  judgeTemp(await readAccess(client, true));
}

/** Throws `ConfigurationError` when the role may not read the tables that are there, and write them unless `readsOnly`. */
export async function refuseMissingRights(client: pg.ClientBase, readsOnly: boolean): Promise<void> {
  judgeRights(await readAccess(client, readsOnly), readsOnly);
}

/** All three at once, or the last one where a command only reads. */
export async function refuseMissingAccess(client: pg.ClientBase, readsOnly: boolean): Promise<void> {
  const access = await readAccess(client, readsOnly);
  if (!readsOnly) {
    judgeReadOnly(access);
    judgeTemp(access);
  }
  judgeRights(access, readsOnly);
}

/** What our role may do in the database. */
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
      pg_is_in_recovery() as is_replica,
      current_setting('default_transaction_read_only') = 'on' as is_read_only,
      quote_ident(current_user) as role,
      quote_ident(current_database()) as database,
      has_database_privilege(current_database(), 'TEMP') as may_use_temp,
      array(
        select namespace.nspname || '.' || relation.relname as name
        from pg_class as relation
        join pg_namespace as namespace on namespace.oid = relation.relnamespace
        where namespace.nspname in ('warehouse', 'etl')
          and case
            when not has_schema_privilege(namespace.oid, 'USAGE') then true
            when relation.relkind in ('r', 'p') then
              exists (select from unnest($1::text[]) as needed where not has_table_privilege(relation.oid, needed))
            when relation.relkind = 'S' then not ($2 or has_sequence_privilege(relation.oid, 'USAGE'))
            else false
          end
        order by name
      ) as lacking`,
    [readsOnly ? ['SELECT'] : ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], readsOnly],
  );
  const [access] = rows;
  if (access === undefined) throw new TypeError('the database says nothing of what our role may do');
  return access;
}

function judgeReadOnly({ is_replica, is_read_only }: Access): void {
  if (is_replica) throw unsuitable('leads to a replica, which is read-only; name the primary server instead');
  if (is_read_only)
    throw unsuitable(
      'the database is read-only, for default_transaction_read_only is on; switch that off for the server, the database ' +
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
 * Throws `ConfigurationError` when a transaction pooler stands before the server: it gives a connection another session
 * of the server for each transaction, and a run would lose its locks without notice. One that sees two connections
 * gives the second the session of the first, or the first another one when the second keeps it.
 */
export async function refuseTransactionPooler(pool: pg.Pool): Promise<void> {
  const isPooled = await withTwoBareClients(pool, async (first, second) => {
    const atFirst = await sessionOf(first);
    try {
      await second.query('begin');
      const other = await sessionOf(second);
      return other === atFirst || (await sessionOf(first)) !== atFirst;
    } catch (error) {
      // One that changes the session with each statement lets nobody begin a transaction.
      if (error instanceof Error && /statement pooling/i.test(error.message)) return true;
      throw error;
    } finally {
      // Where the connection is gone, so is the transaction.
      await second.query('rollback').catch(() => undefined);
    }
  });
  if (isPooled)
    throw unsuitable(
      'leads through a transaction pooler, such as PgBouncer with pool_mode = transaction, where the locks of a run do ' +
        'not hold; connect to the server itself, or to a pool with pool_mode = session',
    );
}

async function sessionOf(client: pg.ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

function unsuitable(sentence: string): ConfigurationError {
  return new ConfigurationError([`DATABASE_URL: ${sentence}`]);
}
