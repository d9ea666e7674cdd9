/** Addresses of repositories as they are stored: without the name and the password of whoever reads there. */

const schemes: readonly RegExp[] = [
  /^(\s*(?:git\+)?https?:\/\/)[^/?#\s]*@/i,
  // A password that is not encoded may have a slash: what follows the colon is no port then.
  /^(\s*(?:git\+)?https?:\/\/)[^/@\s:]*:(?!\d*(?:[/?#]|$))\S*@/i,
];
/** Who logs in elsewhere belongs to the address (`ssh://git@host/team/repo`), a password does not. */
const password = /^(\s*[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*):[^/?#\s]*@/i;

/** The address of a repository without user info (RFC 3986 §3.2.1); any other text as it is. */
export function withoutUserInfo(address: string): string {
  if (!address.includes('@')) return address;
  const anonymous = schemes.reduce((text, pattern) => text.replace(pattern, '$1'), address);
  return anonymous.replace(password, '$1@');
}
