/**
 * JSON text to values without losing a digit. `JSON.parse` alone rounds numbers to about 16 digits; a billing
 * figure must not be rounded, so a longer number is kept as its text.
 */

import Big from 'big.js';

/** A number with more digits than a JavaScript number holds, as the JSON text wrote it. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return rawJson(this.text);
  }

  toString(): string {
    return this.text;
  }
}

/** A parsed JSON text. */
export interface ParsedJson {
  readonly value: unknown;
  /** Whether some string may hold a character that Postgres text cannot: NUL, or half of a surrogate pair. */
  readonly mayHoldUnstorableCharacters: boolean;
}

/** As many digits, the point included, as a double may round. Times and short ids never have so many in a row. */
const manyDigits = 16;
/** No whole number that Postgres counts with has more digits. */
const largestExponent = 30;
const escapedNulOrSurrogate = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Parses JSON text. Numbers that a double would round come back as `ExactNumber`.
 * Throws `SyntaxError` when `text` is not JSON.
 */
export function parseJson(text: string): ParsedJson {
  const mayHoldUnstorableCharacters = text.includes('\\u') && escapedNulOrSurrogate.test(text);
  const value: unknown = hasLongNumber(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  return { value, mayHoldUnstorableCharacters };
}

/**
 * Whether the text has a run of `manyDigits` digits and points. Such a run covers one of every `manyDigits`
 * positions, so only those are looked at: a regular expression would take half as long as parsing.
 */
function hasLongNumber(text: string): boolean {
  for (let position = 0; position < text.length; position += manyDigits) {
    if (!isDigitOrPoint(text.charCodeAt(position))) continue;
    let start = position;
    while (isDigitOrPoint(text.charCodeAt(start - 1))) start -= 1;
    let end = position + 1;
    while (isDigitOrPoint(text.charCodeAt(end))) end += 1;
    if (end - start >= manyDigits) return true;
  }
  return false;
}

/** `0` to `9` and `.`; false for NaN, which is what lies beyond the ends of a text. */
function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

function keepDigits(this: unknown, _key: string, value: unknown, context: { source?: string }): unknown {
  const { source } = context;
  if (typeof value !== 'number' || source === undefined || significantDigits(source) <= 15) return value;
  const text = wholeNumber(source) ?? source;
  return String(value) === text ? value : new ExactNumber(text);
}

/** The digits of a whole number that is written with a point or an exponent; undefined for any other. */
function wholeNumber(source: string): string | undefined {
  const exponent = /e([+-]?\d+)$/i.exec(source)?.[1];
  if (exponent === undefined) return /^(-?\d+)\.0+$/.exec(source)?.[1];
  if (Math.abs(Number(exponent)) > largestExponent) return undefined;
  const number = new Big(source);
  return number.eq(number.round()) ? number.toFixed() : undefined;
}

function significantDigits(source: string): number {
  const mantissa = source.toLowerCase().split('e')[0] ?? '';
  return mantissa.replace(/[^\d]/g, '').replace(/^0+/, '').length;
}

function rawJson(text: string): unknown {
  return JSON.rawJSON === undefined ? text : JSON.rawJSON(text);
}

// Both exist in every supported Node, but not yet in TypeScript's library types.
declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown;
    rawJSON?(text: string): unknown;
  }
}

/**
 * Replaces NUL and unpaired surrogates by U+FFFD in every string and key of a JSON value, because Postgres text
 * holds neither. `onReplaced` hears the path and the text of each string that changed.
 */
export function replaceUnstorableCharacters(
  value: unknown,
  onReplaced: (path: string, text: string) => void,
  path = '',
): unknown {
  if (typeof value === 'string') return storable(value, path, onReplaced);
  if (Array.isArray(value))
    return value.map((item) => replaceUnstorableCharacters(item, onReplaced, `${path}[]`));
  // What is neither array nor plain object, such as an exact number, holds no text of its own.
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const entries = Object.entries(value).map(([key, item]) => {
    const storableKey = storable(key, path, onReplaced);
    const itemPath = joinPath(path, storableKey);
    return [storableKey, replaceUnstorableCharacters(item, onReplaced, itemPath)] as const;
  });
  return Object.fromEntries(entries);
}

function storable(text: string, path: string, onReplaced: (path: string, text: string) => void): string {
  if (!text.includes('\0') && text.isWellFormed()) return text;
  const replaced = storableText(text);
  onReplaced(path, replaced);
  return replaced;
}

/** `text` with U+FFFD for what Postgres text cannot hold. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** `a` and `b` as `a.b`; an empty beginning is left out. */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
