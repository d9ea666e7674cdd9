/** E-mail addresses in files and in answers of the platform. */

const mostCharacters = 320;
/** An address has no invisible characters, and no `=` at the beginning: a spreadsheet would read that as a formula. */
const address = /^(?!=)[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** Whether a text may be an e-mail address. */
export function isEmail(text: string): boolean {
  return text.length <= mostCharacters && address.test(text);
}

/**
 * One key for all spellings of an address. The platform does not say whether it distinguishes `A@b` from `a@b`
 * (platform-api.md §2.4); most mail systems do not.
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
