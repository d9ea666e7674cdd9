/**
 * Checks the `Host` header against DNS rebinding: a web page whose name is redirected to this machine could otherwise
 * read our answers in a visitor's browser.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';

const everyAddress = new Set(['0.0.0.0', '::']);

/**
 * Returns a function that accepts a `Host` header if it is `listening`, the bound `address`, or loopback. A server on
 * all addresses also accepts any IP address (no name server can redirect it), this machine's name, and names without a
 * dot (nobody can register them), such as names of neighbouring services.
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

/** Removes the dot of a fully qualified name. */
function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
