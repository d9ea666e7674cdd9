/** Words of a text by which a person may be named: e-mail addresses, ids, and what stands between spaces and brackets. */

/** Begins and ends where no more of it follows, so that the address of Joann is not taken for that of Ann. */
const local = String.raw`[\p{L}\p{N}._%+'-]`;
const label = String.raw`[\p{L}\p{N}-]`;
const plain = String.raw`[\p{L}\p{N}_-]`;
/** `%40` is how an address is written in a URL. */
const email = String.raw`(?<!${local})${local}+?(?:@|%40)${label}+(?:\.${label}+)*`;
const words = new RegExp(`${email}|(?<!${plain})${plain}+`, 'giu');
const emails = new RegExp(email, 'giu');
/** Where an address may begin within what looks like one: an apostrophe is a part of it, or a quote before it. */
const beginnings = /^[._%+'-]+|'/g;
const pieces = /[^\s"'`<>()[\]{},;=]+/g;
const longestEmail = 320;
/** A path or a list with an id that has signs of its own, such as `auth0|7f`. */
const parts = /[^:/?&#]+/g;
const isPlain = new RegExp(`^${plain}*$`, 'u');
/** What ends a sentence or begins a path is no part of a name. */
const edges = /^[.:@/#~!?*]+|[.:/#~!?*]+$/g;

/** A shorter id is looked for where it stands alone: in a sentence it would be any word. */
const shortestInText = 3;

/**
 * A text with each word that names a person replaced: `replace` gives another word, or undefined for what names nobody.
 * A text that names one as a whole is replaced as a whole.
 */
export function replaceWords(text: string, replace: (word: string) => string | undefined): string {
  const whole = replace(text);
  if (whole !== undefined) return whole;
  if (text.length < shortestInText || isPlain.test(text)) return text;
  const replaceWord = (word: string) => {
    if (word.length < shortestInText) return word;
    return replace(word.replace(/%40/i, '@')) ?? word;
  };
  const withoutAddresses = text.replace(emails, (address) => replaceAddress(address, replaceWord));
  return withoutAddresses.replace(pieces, (piece) => {
    const word = piece.replace(edges, '');
    const replaced = replaceWord(word);
    if (replaced !== word) return piece.replace(word, () => replaced);
    return isPlain.test(piece) ? piece : piece.replace(parts, replaceWord).replace(words, replaceWord);
  });
}

/** The longest address within one that names a person, replaced. */
function replaceAddress(address: string, replaceWord: (word: string) => string): string {
  const inner = Array.from(address.matchAll(beginnings), ({ 0: sign, index }) => index + sign.length);
  for (const start of [0, ...inner]) {
    if (start > 0 && address.length - start > longestEmail) continue;
    const found = address.slice(start);
    const replaced = replaceWord(found);
    if (replaced !== found) return address.slice(0, start) + replaced;
  }
  return address;
}
