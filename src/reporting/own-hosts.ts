/**
 * Checks the `Host` header against DNS rebinding: a web page in a visitor's browser whose name suddenly resolves to this
 * machine could otherwise read our answers.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';

const everyAddress = new Set(['0.0.0.0', '::']);

/**
 * Returns a function that accepts a `Host` header if it is the host of the setting (`listening`), the `address` of the
 * server, or loopback. A server on all addresses also accepts any IP address, which no name server can redirect; this
 * machine's name; and names without a dot, such as those of neighbouring services, because nobody can register them.
 */
export function ownHosts(listening: string, address: string): (host: string | undefined) => boolean {
  const own = new Set(['localhost', '127.0.0.1', '::1', withoutDot(listening), withoutDot(address)]);
  const isEveryAddress = everyAddress.has(address);
  if (isEveryAddress) own.add(withoutDot(hostname()));
  return (host) => {
    const name = nameIn(host);
    if (name === undefined) return false;
    return own.has(name) || (isEveryAddress && (isIP(name) !== 0 || !name.includes('.')));
  };
}

/** The name or address in a `Host` header, in URL form; undefined for other values. */
function nameIn(host = ''): string | undefined {
  const url = `http://${host}`;
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(url)) return undefined;
  return withoutDot(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** The name in lower case, without the dot at the end of a fully qualified name. */
function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
