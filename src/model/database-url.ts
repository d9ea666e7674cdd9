/** Checks `DATABASE_URL`. Only `sslmode` may set TLS. */

import { ambiguityOfUrl } from './url-authority.ts';

/** Modes of libpq that never fall back to plain text without being told to. */
export const tlsModes = ['disable', 'require', 'verify-ca', 'verify-full'];
/** TLS parameters of the URL. The driver also reads PGSSLMODE, PGSSLROOTCERT, PGSSLCERT and PGSSLKEY. */
export const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey'];

/** Names that are refused unless `tlsParameters` has them: some drivers let them override `sslmode`. */
const soundsLikeTls = /^(?:ssl|tls|uselibpqcompat$|requiressl$)/i;
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i;

/** One sentence for each reason why the address cannot be used, without secrets; empty when it can. */
export function databaseUrlProblems(text: string): string[] {
  const ambiguity = ambiguityOfUrl(text);
  if (ambiguity !== undefined) return [ambiguity];
  if (!/^postgres(?:ql)?:\/\//i.test(text) || !URL.canParse(text))
    return ['expected a URL such as postgres://user@host:5432/database'];
  const { searchParams } = new URL(text);
  const names = [...new Set(searchParams.keys())];
  const problems = names
    .filter((name) => soundsLikeTls.test(name) && !tlsParameters.includes(name))
    .map(
      (name) =>
        `expected TLS to be set by sslmode alone, got the parameter ${JSON.stringify(name)}; ` +
        `write sslmode with one of ${tlsModes.join(', ')}`,
    );
  for (const name of tlsParameters)
    if (searchParams.getAll(name).length > 1) problems.push(`expected ${name} once, got it several times`);
  const mode = searchParams.get('sslmode');
  return mode === null ? problems : [...problems, ...tlsModeProblems(mode)];
}

/** Why a value of `sslmode` is not supported; empty when it is. */
export function tlsModeProblems(mode: string): string[] {
  if (tlsModes.includes(mode)) return [];
  return [
    `expected sslmode to be one of ${tlsModes.join(', ')}, got ${JSON.stringify(mode)}; ` +
      'modes that fall back to an unencrypted connection are not supported',
  ];
}

/** Host name of a database server on another machine; undefined for loopback and sockets. */
export function remoteHostOf(
  databaseUrl: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const { hostname, searchParams } = new URL(databaseUrl);
  // The driver looks for the host in this order.
  const host = decodeURIComponent(searchParams.get('host') || hostname || environment.PGHOST || 'localhost');
  return isOwnMachine(host) ? undefined : host;
}

/** Whether a host is this machine: its loopback, or the folder of a socket. */
export function isOwnMachine(host: string): boolean {
  return host.startsWith('/') || loopback.test(host);
}
