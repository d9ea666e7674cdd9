/**
 * Secrets in a text that does not hold them as they are: encoded for URLs, HTML, JSON or Base64, in one another, or cut
 * by white space. The text is decoded once, each byte with the place that it came from, and searched then: the time
 * grows with the length of the text, whatever it holds.
 */

/** A piece of a text, in bytes of its UTF-8. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A text whose characters are bytes, and for each of them the place that it stands for. */
interface Reading {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** What is searched for, and in which alphabet it is written. */
interface Needle {
  readonly text: string;
  readonly form: 'plain' | 'base64' | 'hex';
}

/** A shorter secret is not looked for across white space, in which words of a sentence would make it up. */
const shortestCut = 8;
/** What is not longer is no secret: it stands in every text. */
export const mostNoSecret = 2;
/** A shorter secret is not looked for in Base64 and hexadecimal digits, of which digests and ids are made. */
const shortestPacked = 5;
/** What is encoded within itself is decoded at once; these are changes from one way to another. */
const mostLayers = 4;

/** Names that HTML has for characters that may stand in a secret, each before its character, in lower case. */
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
 * One encoded character; what encodes an encoded percent sign, ampersand or backslash goes with it. Entities of HTML lack
 * their semicolon where they are read with forbearance: only those of ASCII then, for digits may follow.
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
 * White space, control characters, soft line breaks of mail and those of HTML, in UTF-8; and any other character of several
 * bytes, of which `seenOf` decides. Without the flag for upper and lower case, which would take some bytes for others.
 */
const separators =
  /[\x00-\x20\x7f]+|=\r?\n|<[wW]?[bB][rR] ?\/?>|(?<character>[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})/g;
/**
 * What steers a terminal: colours, character sets, titles and links. A text is read with and without, for a control
 * character may also stand alone, and a title may hold what is searched for.
 */
const steering =
  /(?:\x1b\[|\xc2\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]|\x1b[()][0-2AB]|(?:\x1b[PX\]^_]|\xc2[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\xc2]*(?:\x07|\x1b\\|\xc2\x9c)/g;
/** What shows nothing, or belongs to the character before it; halves of surrogate pairs, which are U+FFFD in UTF-8. */
const unseen = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{C}\p{M}\u2800\ufffd]$/u;

/**
 * A function that finds `secrets` where they are encoded or cut. It gets a text as `bytesOf` returns it. The places come
 * in any order, and may overlap.
 */
export function createSecretFinder(secrets: readonly string[]): (bytes: string) => Place[] {
  const [ofShort, ofLong] = [new Map<string, Needle>(), new Map<string, Needle>()];
  for (const secret of secrets) {
    const reading = decoded(readingOf(bytesOf(secret)));
    const uncut = withoutSeparators(reading).text;
    const isLong = uncut.length >= shortestCut;
    for (const needle of needlesOf(secret, isLong ? uncut : reading.text))
      (isLong ? ofLong : ofShort).set(`${needle.form} ${needle.text}`, needle);
  }
  const shortest = Math.min(...[...ofShort.values(), ...ofLong.values()].map(({ text }) => text.length));
  return (bytes) => {
    // Nothing becomes longer when it is decoded.
    if (bytes.length < shortest) return [];
    const written = readingOf(bytes);
    const reading = decoded(written);
    const places = [...placesOf(ofShort, reading), ...placesOf(ofLong, withoutSeparators(reading))];
    // Also before it is decoded: the backslash that ends a title encodes nothing.
    const still = withoutSteering(written);
    const steady = withoutSteering(still === written ? reading : decoded(still));
    return steady === reading ? places : [...places, ...placesOf(ofLong, withoutSeparators(steady))];
  };
}

/** A text as its UTF-8, a character for each byte. */
export function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** The other way round. */
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

/** A character as it is seen: nothing where it is not, and the plain one where it is a wide form of it, or another. */
function seenOf(character: string): string {
  const text = textOf(character);
  if (unseen.test(text)) return '';
  const plain = text.normalize('NFKC');
  return plain.length === 1 && plain < '\u0080' ? plain : character;
}

/** The same where `pattern` is nowhere. What `replace` returns is no longer than the match. */
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

/** What a match of `encoded` encodes, in bytes. */
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

/** What a secret looks like in a text that was decoded, in which it is `plain`. */
function needlesOf(secret: string, plain: string): Needle[] {
  // What follows a backslash at its end decides what becomes of it.
  const needles: Needle[] = [{ text: plain.replace(/\\$/, ''), form: 'plain' }];
  const written = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)];
  // UTF-16 is what some shells and programs encode.
  for (const bytes of [...written.map((text) => Buffer.from(text)), Buffer.from(secret, 'utf16le')]) {
    if (bytes.length < shortestPacked) continue;
    needles.push({ text: bytes.toString('hex'), form: 'hex' });
    for (const before of [0, 1, 2]) needles.push({ text: ownBase64(bytes, before), form: 'base64' });
  }
  return needles.filter(({ text }) => text.length > mostNoSecret);
}

/** The characters of Base64 that hold nothing but these bytes, where `before` others precede them in their group. */
function ownBase64(bytes: Buffer, before: number): string {
  const all = Buffer.concat([Buffer.alloc(before), bytes]);
  return all.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
}

function placesOf(needles: ReadonlyMap<string, Needle>, { text, starts, ends }: Reading): Place[] {
  if (needles.size === 0) return [];
  const searched = {
    plain: text,
    base64: text.replaceAll('-', '+').replaceAll('_', '/'),
    hex: text.toLowerCase(),
  };
  const places: Place[] = [];
  for (const { text: needle, form } of needles.values()) {
    const within = searched[form];
    for (let at = within.indexOf(needle); at >= 0; at = within.indexOf(needle, at + 1)) {
      // The characters on both sides may hold bits of the secret, too.
      const more = (index: number) => form === 'base64' && /[a-z0-9+/]/i.test(within.charAt(index));
      const first = more(at - 1) ? at - 1 : at;
      const last = at + needle.length - (more(at + needle.length) ? 0 : 1);
      places.push({ start: starts[first] ?? 0, end: ends[last] ?? 0 });
    }
  }
  return places;
}
