/**
 * Finds the words of a text that may name a person: e-mail addresses, and every piece between spaces, quotes, brackets,
 * commas and the like, which may be an id.
 */

/** A character of an address before the @. An address is found as a whole only: `joann@…` does not contain `ann@…`. */
const local = String.raw`[\p{L}\p{N}._%+'-]`;
const label = String.raw`[\p{L}\p{N}-]`;
const plain = String.raw`[\p{L}\p{N}_-]`;
/** An address. In a URL the @ is `%40`, in a URL within a URL `%2540`. */
const email = String.raw`(?<!${local})${local}+?(?:@|%(?:25)*40)${label}+(?:\.${label}+)*`;
const words = new RegExp(`${email}|(?<!${plain})${plain}+`, 'giu');
const emails = new RegExp(email, 'giu');
/** Signs after which an address may begin within a longer match, such as an apostrophe that is meant as a quote. */
const beginnings = /^[._%+'-]+|'|__/g;
/** Like `beginnings`, in the name of a slash command: `/mail-ann@…` ends with the address `ann@…`. */
const beginningsInCommand = /[._%+'-]+/g;
/** The separator in tool names of MCP servers: `mcp__server__tool`. */
const joint = '__';
const pieces = /[^\s"'`<>()[\]{},;=]+/g;
const longestEmail = 320;
const longestEncoded = 1_000;
/** The parts of a path or list. Other signs do not separate, because an id may contain them: `auth0|7f`. */
const parts = /[^:/?&#]+/g;
const isPlain = new RegExp(`^${plain}*$`, 'u');
/** Signs before and after a word that are not part of a name. */
const [before, after] = [new Set('.:@/#~!?*'), new Set('.:/#~!?*')];

/** A shorter id is replaced only if it is the whole text: in a sentence it could be any word. */
const shortestInText = 3;

/**
 * Separators that are invisible or percent-encoded; the words between them are searched again. Encoded characters that an
 * address may have, such as the @, do not separate. `__` separates only beside a name with an @ (`mcp__@ann__search`).
 */
const hiddenEnds =
  /(\x1b\[[0-?]{0,64}[ -/]{0,16}[@-~]|[\p{Cc}\p{Default_Ignorable_Code_Point}]|%(?:25)*(?!25|40|2[BDE]|5F)[0-7][\dA-F]|__(?=@)|(?<=__@[^_@\s]{1,320})__)/iu;

/**
 * Replaces each word that names a person. `replace` returns the new word, or undefined if the word names nobody. If the whole
 * text names a person, it is replaced as a whole.
 */
export function replaceWords(text: string, replace: (word: string) => string | undefined): string {
  const whole = replace(text);
  if (whole !== undefined) return whole;
  if (text.length < shortestInText || (isPlain.test(text) && !text.includes(joint))) return text;
  const replaced = replaceSeen(text, replace);
  const parts = replaced.split(hiddenEnds);
  if (parts.length === 1) return replaced;
  // Every other part is a separator.
  return parts
    .map((part, index) =>
      index % 2 === 1 || part.length < shortestInText ? part : replaceSeen(part, replace),
    )
    .join('');
}

function replaceEncoded(word: string, replace: (word: string) => string | undefined): string | undefined {
  if (word.length > longestEncoded || !/%(?:25)*[\dA-F]{2}/i.test(word)) return undefined;
  try {
    return replace(decodeURIComponent(word.replace(/%(?:25)+/g, '%')));
  } catch {
    return undefined;
  }
}

function replaceSeen(text: string, replace: (word: string) => string | undefined): string {
  const replaceWord = (word: string) => {
    if (word.length < shortestInText) return word;
    return replace(word.replace(/%(?:25)*40/, '@')) ?? replaceEncoded(word, replace) ?? word;
  };
  const withoutAddresses = text.replace(emails, (address, ...[offset]: readonly unknown[]) =>
    replaceAddress(address, typeof offset === 'number' && text[offset - 1] === '/', replaceWord),
  );
  return withoutAddresses.replace(pieces, (piece) => {
    const [start, end] = edgesOf(piece);
    const word = piece.slice(start, end);
    const replaced = replaceWord(word);
    if (replaced !== word) return piece.slice(0, start) + replaced + piece.slice(end);
    if (isPlain.test(piece)) return replaceJoined(piece, replaceWord);
    return piece
      .replace(parts, replaceWord)
      .replace(words, (found) => replaceJoined(replaceWord(found), replaceWord));
  });
}

/** Replaces the parts of a joined name, such as the name of an MCP tool, that name a person. */
function replaceJoined(name: string, replaceWord: (word: string) => string): string {
  return name.includes(joint) ? name.split(joint).map(replaceWord).join(joint) : name;
}

/** The beginning and end of the word in a piece. The time of a regular expression would be quadratic here. */
function edgesOf(piece: string): [start: number, end: number] {
  let [start, end] = [0, piece.length];
  while (start < end && before.has(piece.charAt(start))) start += 1;
  while (end > start && after.has(piece.charAt(end - 1))) end -= 1;
  return [start, end];
}

/** Replaces, within a match, the longest address that names a person. */
function replaceAddress(address: string, isCommand: boolean, replaceWord: (word: string) => string): string {
  const signs = isCommand ? beginningsInCommand : beginnings;
  const inner = Array.from(address.matchAll(signs), ({ 0: sign, index }) => index + sign.length);
  for (const start of [0, ...inner]) {
    if (start > 0 && address.length - start > longestEmail) continue;
    const found = address.slice(start);
    const replaced = replaceWord(found);
    if (replaced !== found) return address.slice(0, start) + replaced;
  }
  return address;
}
