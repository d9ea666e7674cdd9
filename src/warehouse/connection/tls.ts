/** TLS to Postgres, as `sslmode` says: the meaning of libpq, which node-postgres' own reading of it does not keep. */
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigurationError } from '../../model/errors.ts';

const modes = ['disable', 'require', 'verify-ca', 'verify-full'];
const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** A connection string without its TLS parameters, and what they say in Node's terms. */
export interface ConnectionSecurity {
  readonly connectionString: string;
  /** False: the connection is not encrypted. */
  readonly ssl: false | ConnectionOptions;
}

/**
 * Reads `sslmode`, `sslrootcert`, `sslcert` and `sslkey` from the URL, and where it lacks them from PGSSLMODE,
 * PGSSLROOTCERT, PGSSLCERT and PGSSLKEY. Without a mode the connection is encrypted and verified when a root
 * certificate is named, and plain otherwise. `sslrootcert=system` trusts the authorities that Node trusts.
 * Throws `ConfigurationError` for a mode that it cannot keep and for a file that it cannot read.
 */
export function connectionSecurity(
  databaseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionSecurity {
  const url = new URL(databaseUrl);
  const [mode, rootFile, certificateFile, keyFile] = tlsParameters.map(
    (name) => url.searchParams.get(name) ?? (environment[`PG${name.toUpperCase()}`] || undefined),
  );
  for (const name of tlsParameters) url.searchParams.delete(name);
  const connectionString = url.href;
  if (mode !== undefined && !modes.includes(mode))
    throw new ConfigurationError([
      `DATABASE_URL: expected sslmode to be one of ${modes.join(', ')}, got ${JSON.stringify(mode)}; ` +
        'modes that fall back to an unencrypted connection are not supported',
    ]);
  const effective = mode ?? (rootFile === undefined ? 'disable' : 'verify-full');
  if (effective === 'disable') return { connectionString, ssl: false };
  const ssl: ConnectionOptions = {};
  if (rootFile !== undefined && rootFile !== 'system') ssl.ca = readPem(rootFile, 'PGSSLROOTCERT');
  if (certificateFile !== undefined) ssl.cert = readPem(certificateFile, 'PGSSLCERT');
  if (keyFile !== undefined) ssl.key = readPem(keyFile, 'PGSSLKEY');
  // As in libpq: `require` alone encrypts without asking who answers; with a root certificate it verifies it.
  if (effective === 'require' && rootFile === undefined) ssl.rejectUnauthorized = false;
  if (effective !== 'verify-full') ssl.checkServerIdentity = () => undefined;
  return { connectionString, ssl };
}

function readPem(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError([`${variable}: the file ${JSON.stringify(file)} cannot be read`], {
      cause: error,
    });
  }
}
