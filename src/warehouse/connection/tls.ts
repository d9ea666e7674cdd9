/** TLS to Postgres, as `sslmode` says: the meaning of libpq, which node-postgres' own reading of it does not keep. */
import type { ConnectionOptions } from 'node:tls';
import {
  databaseUrlProblems,
  remoteHostOf,
  tlsModeProblems,
  tlsParameters,
} from '../../model/database-url.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { readRegularFile } from '../../model/regular-file.ts';

/** A connection string without its TLS parameters, and what they say in Node's terms. */
export interface ConnectionSecurity {
  readonly connectionString: string;
  /** False: the connection is not encrypted. */
  readonly ssl: false | ConnectionOptions;
  /** What somebody should know who did not ask for this. */
  readonly warning: string | undefined;
}

/**
 * Reads `sslmode`, `sslrootcert`, `sslcert` and `sslkey` from the URL, and where it lacks them from PGSSLMODE,
 * PGSSLROOTCERT, PGSSLCERT and PGSSLKEY. Without a mode the connection is encrypted and verified when a root
 * certificate is named, and plain otherwise. `sslrootcert=system` trusts the authorities that Node trusts.
 * No other parameter has a say. Throws `ConfigurationError` for one that claims to, for a mode that cannot be kept and
 * for a file that cannot be read.
 */
export function connectionSecurity(
  databaseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionSecurity {
  const problems = databaseUrlProblems(databaseUrl).map((problem) => `DATABASE_URL: ${problem}`);
  if (problems.length > 0) throw new ConfigurationError(problems);
  const url = new URL(databaseUrl);
  const [mode, rootFile, certificateFile, keyFile] = tlsParameters.map(
    (name) => url.searchParams.get(name) ?? (environment[`PG${name.toUpperCase()}`] || undefined),
  );
  for (const name of tlsParameters) url.searchParams.delete(name);
  const connectionString = url.href;
  if (mode !== undefined && tlsModeProblems(mode).length > 0)
    throw new ConfigurationError(tlsModeProblems(mode).map((problem) => `PGSSLMODE: ${problem}`));
  const effective = mode ?? (rootFile === undefined ? 'disable' : 'verify-full');
  if (effective === 'disable') {
    const host = mode === undefined ? remoteHostOf(databaseUrl, environment) : undefined;
    return { connectionString, ssl: false, warning: host === undefined ? undefined : plainTextTo(host) };
  }
  // Said here, because a variable of Node's can turn the default off.
  const ssl: ConnectionOptions = { rejectUnauthorized: true };
  if (rootFile !== undefined && rootFile !== 'system') ssl.ca = readPem(rootFile, 'PGSSLROOTCERT');
  if (certificateFile !== undefined) ssl.cert = readPem(certificateFile, 'PGSSLCERT');
  if (keyFile !== undefined) ssl.key = readPem(keyFile, 'PGSSLKEY');
  // As in libpq: `require` alone encrypts without asking who answers; with a root certificate it verifies it.
  if (effective === 'require' && rootFile === undefined) ssl.rejectUnauthorized = false;
  if (effective !== 'verify-full') ssl.checkServerIdentity = () => undefined;
  return { connectionString, ssl, warning: ssl.rejectUnauthorized === false ? unverified : undefined };
}

const unverified =
  'DATABASE_URL: sslmode=require without sslrootcert takes any certificate, so that anybody on the way may answer for the ' +
  'server; use sslmode=verify-full, with the certificate of its authority as sslrootcert';

function plainTextTo(host: string): string {
  return (
    `DATABASE_URL: says no sslmode for ${host}, so that everything travels unencrypted; ` +
    'add sslmode=verify-full, or sslmode=disable where that is meant'
  );
}

/** Far more than all authorities of a system have. */
const mostBytesOfPem = 4 * 1024 * 1024;

function readPem(file: string, variable: string): string {
  try {
    return readRegularFile(file, mostBytesOfPem).toString('utf8');
  } catch (error) {
    throw new ConfigurationError([`${variable}: the file ${JSON.stringify(file)} cannot be read`], {
      cause: error,
    });
  }
}
