/**
 * Finds values in the bytes of a JSON text without parsing them: a quarter of the time of parsing, and no memory. Every
 * function throws `SyntaxError` for invalid JSON. The bytes must be valid UTF-8.
 */

/** The position of a value: from `start` to before `end`. */
export interface Extent {
  readonly start: number;
  readonly end: number;
  /** Whether the value has more than `mostLevels` levels. */
  readonly isTooDeep?: boolean;
}

/** The position of a field, from its name to the end of its value. */
export interface FieldExtent {
  readonly name: string;
  /** The beginning of the name. */
  readonly start: number;
  readonly value: Extent;
}

/**
 * Most levels of arrays and objects in a parsed value; documented payloads have five. Deeper values take a multiple of
 * their bytes in memory, and a few thousand levels overflow the stack.
 */
export const mostLevels = 64;

const [quote, backslash, comma, colon, minus, point] = [0x22, 0x5c, 0x2c, 0x3a, 0x2d, 0x2e];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [zero, nine, plus, firstPrintable] = [0x30, 0x39, 0x2b, 0x20];
const literals = ['true', 'false', 'null'].map((word) => Buffer.from(word));
const escapable = new Set(Buffer.from('"\\/bfnrt'));

/** The position of the only value of a text. `endOf` finds its end. */
export function scanText(bytes: Uint8Array, endOf = endOfValue): Extent {
  const start = skipSpace(bytes, 0);
  const end = endOf(bytes, start);
  if (skipSpace(bytes, end) !== bytes.length) fail(bytes, end, 'the end');
  return { start, end };
}

/** Walks over the object at `start`. `onField` gets the start of each value and returns its end. */
export function walkFields(
  bytes: Uint8Array,
  start: number,
  onField: (name: string, start: number) => number,
): number {
  let at = skipSpace(bytes, expect(bytes, start, openBrace, 'an object'));
  if (bytes[at] === closeBrace) return at + 1;
  for (;;) {
    const nameEnd = endOfString(bytes, at);
    const valueEnd = onField(textAt(bytes, at, nameEnd), startOfFieldValue(bytes, nameEnd));
    at = skipSpace(bytes, valueEnd);
    if (bytes[at] === closeBrace) return at + 1;
    at = skipSpace(bytes, expect(bytes, at, comma, 'a comma or the end of an object'));
  }
}

/** Walks over the array at `start`. `onItem` gets the start of each item and returns its end. */
export function walkItems(bytes: Uint8Array, start: number, onItem: (start: number) => number): number {
  let at = skipSpace(bytes, expect(bytes, start, openBracket, 'an array'));
  if (bytes[at] === closeBracket) return at + 1;
  for (;;) {
    at = skipSpace(bytes, onItem(at));
    if (bytes[at] === closeBracket) return at + 1;
    at = skipSpace(bytes, expect(bytes, at, comma, 'a comma or the end of an array'));
  }
}

export function isObjectAt(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === openBrace;
}

export function isArrayAt(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === openBracket;
}

export function isTextAt(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === quote;
}

/** The fields of the object at `start`. */
export function* scanFields(bytes: Uint8Array, start: number): Generator<FieldExtent> {
  let at = skipSpace(bytes, expect(bytes, start, openBrace, 'an object'));
  if (bytes[at] === closeBrace) return;
  for (;;) {
    const nameEnd = endOfString(bytes, at);
    const value = extentAt(bytes, startOfFieldValue(bytes, nameEnd));
    yield { name: textAt(bytes, at, nameEnd), start: at, value };
    at = skipSpace(bytes, value.end);
    if (bytes[at] === closeBrace) return;
    at = skipSpace(bytes, expect(bytes, at, comma, 'a comma or the end of an object'));
  }
}

/** The items of the array at `start`. */
export function* scanItems(bytes: Uint8Array, start: number): Generator<Extent> {
  let at = skipSpace(bytes, expect(bytes, start, openBracket, 'an array'));
  if (bytes[at] === closeBracket) return;
  for (;;) {
    const item = extentAt(bytes, at);
    yield item;
    at = skipSpace(bytes, item.end);
    if (bytes[at] === closeBracket) return;
    at = skipSpace(bytes, expect(bytes, at, comma, 'a comma or the end of an array'));
  }
}

/** The position of the value at `start`, and whether it is nested too deeply. */
export function extentAt(bytes: Uint8Array, start: number): Extent {
  wasTooDeep = false;
  const end = endOfValue(bytes, start, noteDepth);
  return wasTooDeep ? { start, end, isTooDeep: true } : { start, end };
}

/** Whether the value scanned last was too deep. All scans share it: a closure per value costs more than a small scan. */
let wasTooDeep = false;
const noteDepth = () => {
  wasTooDeep = true;
};

/** The text of the string from `start` to `end`, quotes included. */
export function textAt(bytes: Uint8Array, start: number, end: number): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1);
}

/** The closing brackets that open values wait for. All scans share this buffer, because most values are small. */
let closers = new Uint8Array(mostLevels);

/**
 * The end of the value at `start`. Calls `onTooDeep` when it has more than `mostLevels` levels. Not recursive, because
 * an answer may be nested as deeply as it is long.
 */
export function endOfValue(bytes: Uint8Array, start: number, onTooDeep?: () => void): number {
  let depth = 0;
  let at = start;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === openBrace || byte === openBracket) {
      if (depth === mostLevels) onTooDeep?.();
      const closer = byte === openBrace ? closeBrace : closeBracket;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] === closer) at += 1;
      else {
        if (depth === closers.length) closers = withTwiceTheRoom(closers);
        closers[depth++] = closer;
        if (closer === closeBrace) at = startOfFieldValue(bytes, endOfString(bytes, at));
        continue;
      }
    } else if (byte === minus || (byte >= zero && byte <= nine)) at = endOfNumber(bytes, at);
    else at = endOfLiteral(bytes, at);
    // After a value comes a closing bracket or the next value.
    for (;;) {
      if (depth === 0) return at;
      at = skipSpace(bytes, at);
      const closer = closers[depth - 1] ?? 0;
      if (bytes[at] === closer) {
        depth -= 1;
        at += 1;
        continue;
      }
      at = skipSpace(bytes, expect(bytes, at, comma, 'a comma or a closing bracket'));
      if (closer === closeBrace) at = startOfFieldValue(bytes, endOfString(bytes, at));
      break;
    }
  }
}

function withTwiceTheRoom(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}

function startOfFieldValue(bytes: Uint8Array, nameEnd: number): number {
  return skipSpace(bytes, expect(bytes, skipSpace(bytes, nameEnd), colon, 'a colon'));
}

function skipSpace(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] ?? 0; byte <= 0x20; byte = bytes[++at] ?? 0)
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) break;
  return at;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = expect(bytes, start, quote, 'a text');
  for (;;) {
    let byte = bytes[at] ?? 0;
    // Nearly all characters have a higher code than the quote.
    while (byte > quote && byte !== backslash) byte = bytes[++at] ?? 0;
    at += 1;
    if (byte === quote) return at;
    if (byte === backslash) at = endOfEscape(bytes, at);
    else if (byte < firstPrintable) fail(bytes, at - 1, 'the rest of a text');
  }
}

function endOfEscape(bytes: Uint8Array, start: number): number {
  const byte = bytes[start] ?? 0;
  if (escapable.has(byte)) return start + 1;
  if (byte !== 0x75) fail(bytes, start, 'an escaped character');
  for (let at = start + 1; at < start + 5; at++)
    if (!/[\dA-Fa-f]/.test(String.fromCharCode(bytes[at] ?? 0))) fail(bytes, at, 'four hexadecimal digits');
  return start + 5;
}

function endOfNumber(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === minus ? start + 1 : start;
  at = bytes[at] === zero ? at + 1 : endOfDigits(bytes, at);
  if (bytes[at] === point) at = endOfDigits(bytes, at + 1);
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    at += 1;
    if (bytes[at] === plus || bytes[at] === minus) at += 1;
    at = endOfDigits(bytes, at);
  }
  return at;
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at] ?? 0; byte >= zero && byte <= nine; ) byte = bytes[++at] ?? 0;
  if (at === start) fail(bytes, at, 'a digit');
  return at;
}

function endOfLiteral(bytes: Uint8Array, start: number): number {
  for (const literal of literals) {
    let length = 0;
    while (length < literal.length && bytes[start + length] === literal[length]) length += 1;
    if (length === literal.length) return start + length;
  }
  return fail(bytes, start, 'a value');
}

function expect(bytes: Uint8Array, at: number, byte: number, inWords: string): number {
  if (bytes[at] !== byte) fail(bytes, at, inWords);
  return at + 1;
}

function fail(bytes: Uint8Array, at: number, expected: string): never {
  const got = at < bytes.length ? `the byte 0x${(bytes[at] ?? 0).toString(16)}` : 'the end of the answer';
  throw new SyntaxError(`expected ${expected} at byte ${at}, got ${got}`);
}
