/**
 * Finds secrets that are encoded in a text (for URLs, HTML, JSON or Base64, also nested) or split by white space. The
 * text is decoded once, and each decoded byte remembers its place in the text; then the decoded text is searched. The
 * time is linear in the length of the text.
 */
import { createTextSearch } from './text-search.ts';

/** A range of a text, in UTF-8 bytes. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A decoded text with one character per byte, and for each byte its place in the original text. */
interface Reading {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** A form of a secret to search for, and its encoding. */
interface Needle {
  readonly text: string;
  readonly form: Form;
}

type Form = 'plain' | 'base64' | 'hex';

/** A shorter secret is not searched across white space: words of a sentence could form it. */
const shortestCut = 8;
/** A text of at most so many characters is no secret: it occurs in every text. */
export const mostNoSecret = 2;
/** A shorter secret is not searched in Base64 and hexadecimal digits: digests and ids could contain it by chance. */
const shortestPacked = 5;
/** Most encodings within each other that are decoded. Repetitions of one encoding count as one. */
const mostLayers = 4;

/** HTML names of characters, each followed by its character, in lower case. */
const namedCharacters = String.raw`excl! quot" num# dollar$ percnt% amp& apos' lpar( rpar) ast* plus+ comma, dash- period. sol/
  colon: semi; lt< equals= gt> quest? commat@ lsqb[ lbrack[ bsol\ rsqb] rbrack] hat^ lowbar_ underbar_ lcub{ lbrace{
  verbar| vert| rcub} rbrace}`;
const namedBlanks = `tab newline nbsp nonbreakingspace shy zerowidthspace zwnj zwj lrm rlm nobreak ensp emsp thinsp hairsp
  numsp puncsp thinspace verythinspace thickspace mediumspace`;
const named = new Map([
  ...namedCharacters.split(/\s+/).map((each) => [each.slice(0, -1), each.slice(-1)] as const),
  ['grave', '`'] as const,
  ...namedBlanks.split(/\s+/).map((name) => [name, ' '] as const),
]);
const longestFirst = [...named.keys()].sort((a, b) => b.length - a.length);

/**
 * One encoded character, together with repeated encodings of its percent sign, ampersand or backslash. Lenient HTML
 * parsers accept entities without a semicolon; those match for ASCII only, because digits may follow.
 */
const encoded = new RegExp(
  [
    '%(?:25){0,64}(?:u00)?(?<percent>[0-9a-f]{2})',
    '&(?:amp;){0,64}(?:#x0{0,8}(?<hex>[0-9a-f]{1,6})|#0{0,8}(?<decimal>[0-9]{1,7})|(?<name>[a-z]{2,16}));',
    `&(?:amp;?){0,64}(?:#x0{0,8}(?<openHex>[1-7][0-9a-f]|[9ad])|#0{0,8}(?<openDecimal>1[01][0-9]|12[0-7]|[1-9][0-9]|9)|(?<openName>${longestFirst.join('|')}))`,
    String.raw`\\+(?:u(?<unit>[0-9a-f]{4}(?:(?<=d[89ab]..)\\+ud[c-f][0-9a-f]{2})?)|u\{0{0,8}(?<point>[0-9a-f]{1,6})\}|x(?<byte>[0-9a-f]{2})|(?<blank>[nrtbfv])|(?<control>e|0?33)(?=\[)|(?=[^a-z0-9\\]))`,
    String.raw`(?<run>\\{2,})`,
  ].join('|'),
  'gi',
);

/**
 * White space, control characters, and soft line breaks of mail and HTML, in UTF-8. Every multi-byte character matches,
 * too: `seenOf` decides about it. The pattern is case-sensitive, because bytes have no case.
 */
const separators =
  /[\x00-\x20\x7f]+|=\r?\n|<[wW]?[bB][rR] ?\/?>|(?<character>[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})/g;
/**
 * Terminal sequences: colours, character sets, titles and links. A text is searched with and without them, because a
 * control character may stand alone and a title may hold a secret.
 */
const steering =
  /(?:\x1b\[|\xc2\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|\x1b[()][0-2AB]|(?:\x1b[PX\]^_]|\xc2[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\xc2]*(?:\x07|\x1b\\|\xc2\x9c)/g;
/** Characters that are invisible or combine with the one before; unpaired surrogates are U+FFFD in UTF-8. */
const unseen = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{C}\p{M}\u2800\ufffd]$/u;

/**
 * Returns a function that finds encoded or split `secrets` in a text from `bytesOf`. The places come in any order and
 * may overlap.
 */
export function createSecretFinder(secrets: readonly string[]): (bytes: string) => Place[] {
  const [ofShort, ofLong]: [Needle[], Needle[]] = [[], []];
  for (const secret of secrets) {
    const reading = decoded(readingOf(bytesOf(secret)));
    const uncut = withoutSeparators(reading).text;
    const isLong = uncut.length >= shortestCut;
    (isLong ? ofLong : ofShort).push(...needlesOf(secret, isLong ? uncut : reading.text));
  }
  const shortest = [...ofShort, ...ofLong].reduce(
    (least, { text }) => Math.min(least, text.length),
    Infinity,
  );
  const [placesOfShort, placesOfLong] = [searchOf(ofShort), searchOf(ofLong)];
  return (bytes) => {
    // Decoding never makes a text longer.
    if (bytes.length < shortest) return [];
    const written = readingOf(bytes);
    const reading = decoded(written);
    const places = [...placesOfShort(reading), ...placesOfLong(withoutSeparators(reading))];
    // Removed before decoding, too: the backslash that ends a title encodes nothing.
    const still = withoutSteering(written);
    const steady = withoutSteering(still === written ? reading : decoded(still));
    return steady === reading ? places : [...places, ...placesOfLong(withoutSeparators(steady))];
  };
}

/** The UTF-8 bytes of a text, one character per byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The text of bytes as `bytesOf` returns them. */
export function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

function readingOf(bytes: string): Reading {
  const starts = new Uint32Array(bytes.length);
  for (let index = 0; index < starts.length; index++) starts[index] = index;
  return { text: bytes, starts, ends: starts.map((start) => start + 1) };
}

function decoded(reading: Reading): Reading {
  let [before, after] = [reading, rewritten(reading, encoded, plainOf)];
  for (let layer = 1; layer < mostLayers && after !== before; layer++)
    [before, after] = [after, rewritten(after, encoded, plainOf)];
  return after;
}

function withoutSteering(reading: Reading): Reading {
  return rewritten(reading, steering, () => '');
}

function withoutSeparators(reading: Reading): Reading {
  return rewritten(reading, separators, ({ groups }) =>
    groups?.character === undefined ? '' : seenOf(groups.character),
  );
}

/** The visible form of a character: empty when invisible, plain ASCII for a compatible form, else the character. */
function seenOf(character: string): string {
  const text = textOf(character);
  if (unseen.test(text)) return '';
  const plain = text.normalize('NFKC');
  return plain.length === 1 && plain < '\u0080' ? plain : character;
}

/**
 * Replaces every match of `pattern`; returns the same object when nothing matches. `replace` must not return a text that
 * is longer than the match.
 */
function rewritten(reading: Reading, pattern: RegExp, replace: (match: RegExpExecArray) => string): Reading {
  const { text, starts, ends } = reading;
  if (text.search(pattern) < 0) return reading;
  const [newStarts, newEnds] = [new Uint32Array(text.length), new Uint32Array(text.length)];
  let [newText, from] = ['', 0];
  const copyTo = (to: number) => {
    newStarts.set(starts.subarray(from, to), newText.length);
    newEnds.set(ends.subarray(from, to), newText.length);
    newText += text.slice(from, to);
  };
  for (const match of text.matchAll(pattern)) {
    copyTo(match.index);
    from = match.index + match[0].length;
    const plain = replace(match);
    newStarts.fill(starts[match.index] ?? 0, newText.length, newText.length + plain.length);
    newEnds.fill(ends[from - 1] ?? 0, newText.length, newText.length + plain.length);
    newText += plain;
  }
  copyTo(text.length);
  return { text: newText, starts: newStarts, ends: newEnds };
}

/** The bytes that a match of `encoded` stands for. */
function plainOf({ groups = {} }: RegExpExecArray): string {
  const { percent, unit, point, byte, blank, control } = groups;
  const { hex = groups.openHex, decimal = groups.openDecimal, name = groups.openName } = groups;
  if (percent !== undefined) return String.fromCharCode(Number.parseInt(percent, 16));
  if (name !== undefined) return named.get(name.toLowerCase()) ?? `&${name};`;
  if (unit !== undefined)
    return bytesOf((unit.match(/[0-9a-f]{4}/gi) ?? []).map((each) => characterOf(each, 16)).join(''));
  if (decimal !== undefined) return bytesOf(characterOf(decimal, 10));
  const sixteens = hex ?? point ?? byte;
  if (sixteens !== undefined) return bytesOf(characterOf(sixteens, 16));
  if (blank !== undefined) return '\n';
  if (control !== undefined) return '\u001b';
  return groups.run === undefined ? '' : '\\';
}

function characterOf(digits: string, base: number): string {
  const code = Number.parseInt(digits, base);
  return code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
}

/** The forms of a secret to search for in a decoded text. `plain` is the secret, decoded like the text. */
function needlesOf(secret: string, plain: string): Needle[] {
  // A backslash at the end is left out: the character after it decides how the text is decoded there.
  const needles: Needle[] = [{ text: plain.replace(/\\$/, ''), form: 'plain' }];
  const written = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  // Some shells and programs encode UTF-16.
  for (const bytes of [...written.map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')]) {
    if (bytes.length < shortestPacked) continue;
    needles.push({ text: bytes.toString('hex'), form: 'hex' });
    for (const before of [0, 1, 2]) needles.push({ text: ownBase64(bytes, before), form: 'base64' });
  }
  return needles.filter(({ text }) => text.length > mostNoSecret);
}

/** The Base64 characters that hold only these bytes, when `before` other bytes precede them in their group of three. */
function ownBase64(bytes: Buffer, before: number): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  return all.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
}

/** How a text is written before needles of a form are searched in it. */
const writtenAs: Readonly<Record<Form, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => text.replaceAll('-', '+').replaceAll('_', '/'),
  hex: (text) => text.toLowerCase(),
};

/** Returns a function that finds the needles in a text. */
function searchOf(needles: readonly Needle[]): (reading: Reading) => Place[] {
  const searches = (['plain', 'base64', 'hex'] as const).flatMap((form) => {
    const texts = needles.filter((needle) => needle.form === form).map(({ text }) => text);
    return texts.length === 0 ? [] : [{ form, search: createTextSearch(texts) }];
  });
  return ({ text, starts, ends }) =>
    searches.flatMap(({ form, search }) => {
      const within = writtenAs[form](text);
      // The characters on both sides may also hold bits of the secret.
      const more = (index: number) => form === 'base64' && /[a-z0-9+/]/i.test(within.charAt(index));
      return search(within).map(({ at, text: needle }) => {
        const first = more(at - 1) ? at - 1 : at;
        const last = at + needle.length - (more(at + needle.length) ? 0 : 1);
        return { start: starts[first] ?? 0, end: ends[last] ?? 0 };
      });
    });
}
