/** Says why there is no connection, and whether a later try may work or a setting must change. */
import type pg from 'pg';
import { codeOf } from '../../model/error-code.ts';
import {
  ConfigurationError,
  SilentDatabaseError,
  type UsageEtlError,
  WarehouseError,
} from '../../model/errors.ts';
import { ClearTextPasswordError } from './bounded-client.ts';

/** SQLSTATEs. */
const invalidPassword = '28P01';
const invalidAuthorization = '28000';
const noSuchDatabase = '3D000';
const insufficientPrivilege = '42501';
const diskFull = '53100';
const readOnlyTransaction = '25006';
const queryCanceled = '57014';

const tlsCode =
  /^(?:ERR_(?:TLS|SSL)|CERT_|CRL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|EPROTO)/;
const tlsMessage = /does not support SSL|establishing an SSL connection/;
/** The driver's message when the server asks for a password and there is none. */
const noPasswordMessage = /client password must be a string/;

const unreachable = 'DATABASE_URL: the database cannot be reached now';

/**
 * The error to throw when a connection could not be made: `ConfigurationError` if a setting must change,
 * `WarehouseError` if the database cannot be reached now; `place` names the database.
 */
export function connectionProblem(cause: unknown, place: string): UsageEtlError {
  if (cause instanceof ConfigurationError) return cause;
  const sentence = misconfiguration(cause);
  return sentence === undefined
    ? new WarehouseError(unreachable, {
        cause: cause instanceof SilentDatabaseError ? cause : new WarehouseError(place, { cause }),
      })
    : new ConfigurationError([`DATABASE_URL: ${sentence}`], { cause });
}

/** Whether `connectionProblem` made this error for a database that cannot be reached now. */
export function saysUnreachable(error: Error): boolean {
  return error instanceof WarehouseError && error.message === unreachable;
}

/** The address of a database, without role and password. */
export function placeOf({ host, port, database }: Pick<pg.Client, 'host' | 'port' | 'database'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}/${database ?? ''}`;
}

/** The error for a lost connection: it names the database and says what to do. */
export function lossProblem(cause: unknown, place: string): WarehouseError {
  return new WarehouseError(
    `the connection to the database ${place} was lost; what was committed stays, run the command again when the database is back`,
    { cause },
  );
}

/** Whether the role lacked a right for what failed. */
export function isMissingRight(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (codeOf(current) === insufficientPrivilege) return true;
  return false;
}

/** The error to throw when a statement failed: if Postgres does not say what to do, it adds a sentence that does. */
export function statementProblem(error: unknown): unknown {
  const sentence = remedies[codeOf(error) ?? ''];
  return sentence === undefined ? error : new WarehouseError(sentence, { cause: error });
}

const remedies: Readonly<Record<string, string>> = {
  [diskFull]:
    'the disk of the database server is full; make room there, then run the job again (the embedded Postgres uses the disk of DATA_DIR)',
  [readOnlyTransaction]: 'the database has become read-only; DATABASE_URL must name the primary server',
  [insufficientPrivilege]: 'the role of DATABASE_URL lacks a right; SECURITY.md tells what it needs',
};

/** The session sets its own limit in its first statement, so the server's limit holds for that statement. */
export const noTimeToBegin =
  'the server ended the first statement of a session: the statement_timeout of the server, the database or the role is ' +
  'too short to set another one; raise it';

function misconfiguration(cause: unknown): string | undefined {
  const code = codeOf(cause) ?? '';
  const message = cause instanceof Error ? cause.message : '';
  if (cause instanceof ClearTextPasswordError)
    return (
      'the server asks for the password in clear text, and nothing proves that it is the right server; the password ' +
      'was not sent; add sslmode=verify-full and sslrootcert, or let the server ask by scram-sha-256'
    );
  if (noPasswordMessage.test(message)) return 'the server asks for a password, and none is given';
  if (code === invalidPassword || code === invalidAuthorization)
    return 'the server refuses the login; check role, password and sslmode, and its pg_hba.conf';
  if (code === noSuchDatabase) return 'the server has no such database; create it, or name another';
  if (code === insufficientPrivilege)
    return 'the role lacks the right CONNECT on this database; SECURITY.md has the statements';
  if (code === queryCanceled) return noTimeToBegin;
  if (tlsCode.test(code) || tlsMessage.test(message))
    return 'TLS does not work as sslmode demands; check sslmode, sslrootcert and the certificate of the server';
  return undefined;
}
