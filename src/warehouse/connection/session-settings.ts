/**
 * What every session of the program begins with. A server, a database or a role may have settings of its own, and what the
 * program says and reads must mean the same under all of them.
 */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { searchPath } from '../../model/search-path.ts';
import { BoundedClient, type Limits } from './bounded-client.ts';

/** How values are written and read, what a statement means, and what may end a session. */
const settings: Readonly<Record<string, string>> = {
  search_path: searchPath,
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // Rows travel as arrays, and absent values as NULL in them.
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  client_min_messages: 'warning',
  // Keys are committed on another connection while rows are written: a snapshot of before would not see them.
  default_transaction_isolation: 'read committed',
  // A refused row is repeated without those that are to blame: the session must survive that.
  exit_on_error: 'off',
  // A run waits for the platform for as long as that takes, with locks in hand.
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // The planner expects far more rows than there are: to compile statements would take longer than to run them.
  jit: 'off',
  plan_cache_mode: 'auto',
};

/** Settings that not every version has. */
const newerSettings: Readonly<Record<string, string>> = {
  transaction_timeout: '0',
  // Who makes the roles of readers is not to act as them.
  createrole_self_grant: '',
  // Also in minor versions: without views nothing can be reported.
  restrict_nonsystem_relation_kind: '',
};

/** SQLSTATE of whatever is said in a transaction that has failed. */
const inFailedTransaction = '25P02';

/**
 * Whether a connection finds itself in a transaction, in SQL: one that begins with the statement is as old as it. Only for
 * statements without parameters, and names all that it calls.
 */
const isInTransactionInSql =
  '(pg_catalog.transaction_timestamp() operator(pg_catalog.<>) pg_catalog.statement_timestamp())';

function assigned(name: string, value: string, isLocal: boolean): string {
  return `pg_catalog.set_config('${name}', '${value}', ${isLocal})`;
}

function assignedIfKnown(name: string, value: string, isLocal: boolean): string {
  return `case when pg_catalog.current_setting('${name}', true) is not null then ${assigned(name, value, isLocal)} end`;
}

/**
 * Sets up a session, once: its first statement. Without `limits` of the client, a statement may take as long as it takes.
 * Throws `ConfigurationError` where somebody else's transaction goes on in it. Not for a session that a transaction pooler
 * may hand on to others: they would get the settings.
 */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  if (!(client instanceof BoundedClient) || client.backendPid !== undefined) return;
  const { limits } = client.bounds;
  // The first statement says itself what it calls, and has nothing in it but our own words.
  const { rows } = await client
    .query<{ pid: number; is_in_transaction: boolean }>(
      `select
        pg_catalog.pg_backend_pid() as pid,
        ${isInTransactionInSql} as is_in_transaction,
        ${[
          ...Object.entries({ ...settings, ...limitSettings(limits) }).map(([name, value]) =>
            assigned(name, value, false),
          ),
          ...Object.entries(newerSettings).map(([name, value]) => assignedIfKnown(name, value, false)),
        ].join(', ')}`,
    )
    .catch(refuseFailedTransaction);
  if (rows[0]?.is_in_transaction === true) throw foreignTransaction();
  client.backendPid = rows[0]?.pid;
}

function limitSettings(limits: Limits | undefined): Readonly<Record<string, string>> {
  if (limits === undefined) return { statement_timeout: '0' };
  return { lock_timeout: String(limits.lockTimeoutMs), statement_timeout: String(limits.statementTimeoutMs) };
}

/**
 * The process of the server behind a connection that is not set up, and stays so: what this sets ends with the
 * transaction. Throws `ConfigurationError` where `isBegun` is not said and the connection is in a transaction nonetheless.
 */
export async function sessionOfBare(
  client: pg.ClientBase,
  { isBegun = false }: { readonly isBegun?: boolean } = {},
): Promise<number | undefined> {
  const { rows } = await client
    .query<{ pid: number; is_in_transaction: boolean }>(
      `select
        ${assigned('search_path', searchPath, true)},
        ${assigned('statement_timeout', '0', true)},
        ${assigned('idle_in_transaction_session_timeout', '0', true)},
        ${assignedIfKnown('transaction_timeout', '0', true)},
        pg_catalog.pg_backend_pid() as pid,
        ${isInTransactionInSql} as is_in_transaction`,
    )
    .catch(refuseFailedTransaction);
  if (!isBegun && rows[0]?.is_in_transaction === true) throw foreignTransaction();
  return rows[0]?.pid;
}

function refuseFailedTransaction(error: unknown): never {
  throw codeOf(error) === inFailedTransaction ? foreignTransaction(error) : error;
}

/** What to say of a pooler that gives a session on in the middle of a transaction. */
export function foreignTransaction(cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    [
      'DATABASE_URL: leads through a connection pooler that leaves the transaction of a client open when that is gone, such as ' +
        'pgpool in raw mode, or one that does not reset its sessions: rows would be lost, and locks kept; connect to the ' +
        'server itself, or to a pool that ends the session or resets it (pool_mode = session of PgBouncer)',
    ],
    { cause },
  );
}
