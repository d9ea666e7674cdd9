/**
 * Parses JSON without losing digits. `JSON.parse` rounds numbers to about 16 digits, but billing figures must stay
 * exact, so longer numbers are kept as text.
 */

import Big from 'big.js';

/** A number with more digits than a JavaScript number holds, as written. */
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
  /** Whether a string may hold a character that Postgres text cannot: NUL or an unpaired surrogate. */
  readonly mayHoldUnstorableCharacters: boolean;
}

/** A double may round numbers of so many digits, the point included. Times and most ids have fewer. */
const manyDigits = 16;
/** Larger than the exponent of any whole number that a column stores. */
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
 * Whether the text has `manyDigits` digits and points in a row. Such a row covers one of every `manyDigits` positions,
 * so only those are checked: a regular expression would take half as long as parsing.
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

/** `0` to `9` and `.`; false for NaN, the code beyond the ends of a text. */
function isDigitOrPoint(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 46;
}

function keepDigits(this: unknown, _key: string, value: unknown, context: { source?: string }): unknown {
  const { source } = context;
  if (typeof value !== 'number' || source === undefined || significantDigits(source) <= 15) return value;
  const text = wholeNumber(source) ?? source;
  return String(value) === text ? value : new ExactNumber(text);
}

/** The digits of a whole number that is written with a point or an exponent; undefined for any other number. */
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

// Every supported Node has these, but TypeScript's library types do not yet.
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
 * Replaces NUL and unpaired surrogates by U+FFFD in every string and key of a JSON value, because Postgres text holds
 * neither. Calls `onReplaced` with path and text of each changed string.
 */
export function replaceUnstorableCharacters(
  value: unknown,
  onReplaced: (path: string, text: string) => void,
  path = '',
): unknown {
  if (typeof value === 'string') return storable(value, path, onReplaced);
  if (Array.isArray(value))
    return value.map((item) => replaceUnstorableCharacters(item, onReplaced, `${path}[]`));
  // Other objects, such as an exact number, hold no text.
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

/** `text` with U+FFFD for characters that Postgres text cannot hold. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Joins `a` and `b` to `a.b`; leaves out an empty beginning. */
export function joinPath(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
