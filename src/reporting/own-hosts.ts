/**
 * Which hosts a request may ask for. A page whose name was pointed at this machine after it was loaded makes a browser
 * ask here, and reads the answer as its own; the name of that page is the `Host` of its requests.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';

const everyAddress = new Set(['0.0.0.0', '::']);

/**
 * A function that tells whether a `Host` header means who listens on `listening`, which is bound to `address`: that name,
 * that address, or loopback. Who listens on every address is also meant by any address, which no name server can point
 * elsewhere, by this machine's name, and by names without a dot, which nobody can register: those of services beside it.
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

/** The name or address in a `Host` header, as a URL has it; undefined where there is none, or something else. */
function nameIn(host = ''): string | undefined {
  const url = `http://${host}`;
  if (!/^[\w.:[\]-]+$/.test(host) || !URL.canParse(url)) return undefined;
  return withoutDot(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

/** A dot at the end only says that a name is whole. */
function withoutDot(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
