/** Addresses of requests, and the digest of address and credential. */
import { hash } from 'node:crypto';

/** The URL of a request. It is built as text and parsed once, because this runs for every request. */
export function addressOf(baseUrl: URL, path: string, query: Readonly<Record<string, string>>): URL {
  // Not resolved as a relative URL: `//name` would mean another host.
  const pathname = `${baseUrl.pathname.replace(/(?<!\/)\/+$/, '')}${path}`.replace(
    /[?#]/g,
    encodeURIComponent,
  );
  return new URL(`${baseUrl.origin}${pathname}?${new URLSearchParams(query)}`);
}

/** The digest of address and credential. It ignores a slash at the end of the base URL, which has no meaning. */
export function credentialDigest({
  baseUrl,
  apiKey,
}: {
  readonly baseUrl: URL;
  readonly apiKey: string;
}): Buffer {
  return hash('sha256', JSON.stringify([baseUrl.href.replace(/(?<!\/)\/+$/, ''), apiKey]), 'buffer');
}
