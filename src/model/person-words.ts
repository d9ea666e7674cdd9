/** Words of a text by which a person may be named: e-mail addresses, ids, and what stands between spaces and brackets. */

/** Begins and ends where no more of it follows, so that the address of Joann is not taken for that of Ann. */
const local = String.raw`[\p{L}\p{N}._%+'-]`;
const label = String.raw`[\p{L}\p{N}-]`;
const plain = String.raw`[\p{L}\p{N}_-]`;
/** `%40` is how an address is written in a URL, `%2540` in one within another. */
const email = String.raw`(?<!${local})${local}+?(?:@|%(?:25)*40)${label}+(?:\.${label}+)*`;
const words = new RegExp(`${email}|(?<!${plain})${plain}+`, 'giu');
const emails = new RegExp(email, 'giu');
/** Where an address may begin within what looks like one: an apostrophe is a part of it, or a quote before it. */
const beginnings = /^[._%+'-]+|'|__/g;
/** The name of a slash command may end in an address: `/mail-ann@…`. Elsewhere that is the address of somebody else. */
const beginningsInCommand = /[._%+'-]+/g;
/** What tools of servers are called by: `mcp__server__tool`. */
const joint = '__';
const pieces = /[^\s"'`<>()[\]{},;=]+/g;
const longestEmail = 320;
const longestEncoded = 1_000;
/** A path or a list with an id that has signs of its own, such as `auth0|7f`. */
const parts = /[^:/?&#]+/g;
const isPlain = new RegExp(`^${plain}*$`, 'u');
/** What ends a sentence or begins a path is no part of a name. */
const [before, after] = [new Set('.:@/#~!?*'), new Set('.:/#~!?*')];

/** A shorter id is looked for where it stands alone: in a sentence it would be any word. */
const shortestInText = 3;

/**
 * What may stand between words without being seen, or encoded for a URL: it is looked for again between these. What
 * encodes an @ or may stand in an address ends no word, and `__` does before a name with an @ (`mcp__@ann__search`).
 */
const hiddenEnds =
  /(\x1b\[[0-?]{0,64}[ -/]{0,16}[@-~]|[\p{Cc}\p{Default_Ignorable_Code_Point}]|%(?:25)*(?!25|40|2[BDE]|5F)[0-7][\dA-F]|__(?=@)|(?<=__@[^_@\s]{1,320})__)/iu;

/**
 * A text with each word that names a person replaced: `replace` gives another word, or undefined for what names nobody.
 * A text that names one as a whole is replaced as a whole.
 */
export function replaceWords(text: string, replace: (word: string) => string | undefined): string {
  const whole = replace(text);
  if (whole !== undefined) return whole;
  if (text.length < shortestInText || (isPlain.test(text) && !text.includes(joint))) return text;
  const replaced = replaceSeen(text, replace);
  const parts = replaced.split(hiddenEnds);
  if (parts.length === 1) return replaced;
  // Every other part is what stands between.
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

/** A name whose parts are put together, such as that of a server's tool, with each part that names a person replaced. */
function replaceJoined(name: string, replaceWord: (word: string) => string): string {
  return name.includes(joint) ? name.split(joint).map(replaceWord).join(joint) : name;
}

/** Where the word within a piece begins and ends. A pattern would look for the end of the piece from each of its signs. */
function edgesOf(piece: string): [start: number, end: number] {
  let [start, end] = [0, piece.length];
  while (start < end && before.has(piece.charAt(start))) start += 1;
  while (end > start && after.has(piece.charAt(end - 1))) end -= 1;
  return [start, end];
}

/** The longest address within one that names a person, replaced. */
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
