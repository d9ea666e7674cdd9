/** Removes user names and passwords from repository addresses before they are stored. */

const schemes: readonly RegExp[] = [
  /^(\s*(?:git\+)?https?:\/\/)[^/?#\s]*@/i,
  // An unencoded password may contain a slash. What follows the colon is a password unless it is a port.
  /^(\s*(?:git\+)?https?:\/\/)[^/@\s:]*:(?!\d*(?:[/?#]|$))\S*@/i,
];
/** The password in an address of another scheme, whose user name belongs to it: `ssh://git@host/team/repo`. */
const password = /^(\s*[a-z][a-z0-9+.-]*:\/\/[^/?#\s:@]*):[^/?#\s]*@/i;

/** The address of a repository without user info (RFC 3986 §3.2.1); any other text as it is. */
export function withoutUserInfo(address: string): string {
  if (!address.includes('@')) return address;
  const anonymous = schemes.reduce((text, pattern) => text.replace(pattern, '$1'), address);
  return anonymous.replace(password, '$1@');
}
