/** E-mail addresses as people write them into files, and as the platform spells them. */

const mostCharacters = 320;
/** Nothing that cannot be seen, and no beginning that a spreadsheet takes for a formula. */
const address = /^(?!=)[^\s\p{C}@]+@[^\s\p{C}@]+$/u;

/** Whether a text may be the e-mail address of somebody. */
export function isEmail(text: string): boolean {
  return text.length <= mostCharacters && address.test(text);
}

/**
 * The same for all spellings of one address: the platform does not say whether it tells `A@b` from `a@b`
 * (platform-api.md §2.4), and most mail systems do not.
 */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
