/** TLS to Postgres. `sslmode` means what it means in libpq; node-postgres reads it differently. */
import type { ConnectionOptions } from 'node:tls';
import {
  databaseUrlProblems,
  remoteHostOf,
  tlsModeProblems,
  tlsParameters,
} from '../../model/database-url.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { readRegularFile } from '../../model/regular-file.ts';

/** A connection string without its TLS parameters, and these parameters as options of Node. */
export interface ConnectionSecurity {
  readonly connectionString: string;
  /** False: the connection is not encrypted. */
  readonly ssl: false | ConnectionOptions;
  /** Why the connection is less safe than the user may expect; undefined if it is safe or chosen. */
  readonly warning: string | undefined;
}

/**
 * Reads `sslmode`, `sslrootcert`, `sslcert` and `sslkey` from the URL, and where it lacks them from PGSSLMODE,
 * PGSSLROOTCERT, PGSSLCERT and PGSSLKEY. Without a mode the connection is encrypted and verified when a root
 * certificate is named, and plain otherwise. `sslrootcert=system` trusts the authorities that Node trusts. Throws
 * `ConfigurationError` for any other TLS parameter, for an unknown mode and for a file that cannot be read.
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
  // Explicit, because NODE_TLS_REJECT_UNAUTHORIZED can turn the default off.
  const ssl: ConnectionOptions = { rejectUnauthorized: true };
  if (rootFile !== undefined && rootFile !== 'system') ssl.ca = readPem(rootFile, 'PGSSLROOTCERT');
  if (certificateFile !== undefined) ssl.cert = readPem(certificateFile, 'PGSSLCERT');
  if (keyFile !== undefined) ssl.key = readPem(keyFile, 'PGSSLKEY');
  // As in libpq: `require` alone does not verify the certificate; with a root certificate it does.
  if (effective === 'require' && rootFile === undefined) ssl.rejectUnauthorized = false;
  if (effective !== 'verify-full') ssl.checkServerIdentity = () => undefined;
  return { connectionString, ssl, warning: ssl.rejectUnauthorized === false ? unverified : undefined };
}

const unverified =
  'DATABASE_URL: sslmode=require without sslrootcert accepts any certificate, so that anybody on the network path can pose as ' +
  'the server; use sslmode=verify-full, with the certificate of its authority as sslrootcert';

function plainTextTo(host: string): string {
  return (
    `DATABASE_URL: has no sslmode for ${host}, so that the connection is not encrypted; ` +
    'add sslmode=verify-full, or sslmode=disable if you want this'
  );
}

/** Much larger than a file with all certificate authorities of a system. */
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
