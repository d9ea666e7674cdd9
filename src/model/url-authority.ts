/**
 * Checks addresses with a password before they are parsed as a URL: an unencoded character in the password could end up
 * in the host name.
 */

const controls = /[\u0000-\u001f\u007f]/;
const encodesNothing = /%(?![0-9a-f]{2})/i;

/**
 * Why it is unclear where the password of an address ends, as a sentence without any part of the address; undefined
 * when it is clear. If it is unclear, a parser may take part of the password as the host, and the look-up of this host
 * would send that part to name servers. The first colon ends the user name (RFC 3986 §3.2.1), so more colons do no harm.
 */
export function ambiguityOfUrl(text: string): string | undefined {
  const rest = text.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const [beforeAt = '', ...afterAt] = rest.split('@');
  const isClear =
    afterAt.length < 2 && (afterAt.length === 0 || !/[/?\\]/.test(beforeAt)) && !rest.includes('#');
  if (isClear && !controls.test(rest) && !encodesNothing.test(rest) && isDecodable(rest)) return undefined;
  return (
    'expected an address with at most one @, after user name and password, and without special characters in ' +
    'user name, password and parameters; percent-encode them there: @ as %40, / as %2F, # as %23, ? as %3F, \\ as %5C, % as %25, : as %3A'
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
