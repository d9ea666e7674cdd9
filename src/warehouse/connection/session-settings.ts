/**
 * The settings of every session. A server, a database or a role may have other defaults, and the program's statements
 * must mean the same under all of them.
 */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { searchPath } from '../../model/search-path.ts';
import { BoundedClient, type Limits } from './bounded-client.ts';

/** The format of values, the meaning of statements, and the limits of a session. */
const settings: Readonly<Record<string, string>> = {
  search_path: searchPath,
  timezone: 'UTC',
  datestyle: 'ISO, YMD',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // Rows are sent as arrays, with NULL for absent values.
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  client_min_messages: 'warning',
  // Another connection commits keys while rows are written: an older snapshot would not see them.
  default_transaction_isolation: 'read committed',
  // After a refused row the rest is written again, so the session must survive errors.
  exit_on_error: 'off',
  // A run may wait long for the platform while it holds locks.
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // The planner expects too many rows, so it would compile statements for longer than they run.
  jit: 'off',
  plan_cache_mode: 'auto',
};

/** Settings that only some versions have. */
const newerSettings: Readonly<Record<string, string>> = {
  transaction_timeout: '0',
  // The role that creates the reader roles must not get their rights.
  createrole_self_grant: '',
  // Some minor versions have it. It must allow views, because reports read them.
  restrict_nonsystem_relation_kind: '',
};

/** SQLSTATE of any statement in a failed transaction. */
const inFailedTransaction = '25P02';

/**
 * SQL that says whether the connection was in a transaction before this statement: if not, the transaction and the
 * statement began at the same time. It must not have parameters. All names are qualified, because the search path is
 * not set yet.
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
 * Sends the settings as the session's first statement; only once. Without `limits` of the client, statements have no
 * time limit. Throws `ConfigurationError` if the connection is in another client's transaction. Do not call it behind
 * a transaction pooler: other clients would get the settings.
 */
export async function prepareSession(client: pg.ClientBase): Promise<void> {
  if (!(client instanceof BoundedClient) || client.backendPid !== undefined) return;
  const { limits } = client.bounds;
  // Qualified names and no parameters: see `isInTransactionInSql`.
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
 * The server process of a connection without `prepareSession`; the settings that it needs end with the transaction.
 * Throws `ConfigurationError` if the connection is in a transaction and `isBegun` is not set.
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

/** The error for a pooler that gives a session to another client in the middle of a transaction. */
export function foreignTransaction(cause?: unknown): ConfigurationError {
  return new ConfigurationError(
    [
      'DATABASE_URL: leads through a connection pooler that leaves a transaction open when its client has gone, such as ' +
        'pgpool in raw mode, or one that does not reset its sessions: rows would be lost, and locks kept; connect to the ' +
        'server itself, or to a pool that ends the session or resets it (pool_mode = session of PgBouncer)',
    ],
    { cause },
  );
}
