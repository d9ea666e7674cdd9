/** Addresses with a password, before anything reads them as a URL: what is not encoded in it would become a host. */

const controls = /[\u0000-\u001f\u007f]/;
const encodesNothing = /%(?![0-9a-f]{2})/i;

/**
 * Why it is in doubt where the password of an address ends, as a sentence without any part of it; undefined when it is
 * not. A parser takes the password for host and path, or the host's name for part of it, and whoever looks that up tells
 * it to the resolvers on the way. The first colon ends the user name (RFC 3986 §3.2.1), so that others are no doubt.
 */
export function ambiguityOfUrl(text: string): string | undefined {
  const rest = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const [beforeAt = '', ...afterAt] = rest.split('@');
  const isClear =
    afterAt.length < 2 && (afterAt.length === 0 || !/[/?\\]/.test(beforeAt)) && !rest.includes('#');
  if (isClear && !controls.test(rest) && !encodesNothing.test(rest) && isDecodable(rest)) return undefined;
  return (
    'expected an address with one @ at most, which ends user name and password, and with nothing in these that means ' +
    'something else; percent-encode it there, and in parameters: @ as %40, / as %2F, # as %23, ? as %3F, \\ as %5C, % as %25, : as %3A'
  );
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
