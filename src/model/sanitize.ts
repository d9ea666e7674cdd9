/**
 * The one sanitizer of text that was written elsewhere: by the platform, the database, a file or the environment. Whatever
 * is shown, logged or recorded as an error passes it: bounded, redacted, then cut, then made harmless for a terminal.
 */
import { createPersonNamingRedactor, createRedactor, createSecretHider, type Redact } from './redaction.ts';

/** Lets one text through, on one line, at most `mostCharacters` of it. */
export type Sanitize = (text: string, mostCharacters?: number) => string;

/** The sanitizer of a process. */
export interface Sanitizer extends Sanitize {
  /** For whoever asked about persons: the same, but e-mail addresses stay. */
  readonly namingPersons: Sanitize;
  /** For what is kept as it came: hides the secrets in it, and nothing else. */
  readonly hideSecrets: Redact;
}

const mostShown = 2_000;
/** Characters that are searched for secrets; of a longer text the rest is not even looked at. */
const mostExamined = 65_536;
/** What is hidden without being known, such as a password in a URL, is shorter. */
const longestPattern = 1_500;

/** Characters that one of a secret takes where it is encoded, and that in something else. */
const mostPerCharacter = 16;

/** A sanitizer that also hides `secrets`. */
export function createSanitizer(secrets: readonly string[]): Sanitizer {
  const mostOfSecret = Math.max(longestPattern, ...secrets.map((secret) => mostPerCharacter * secret.length));
  const sanitizeWith =
    (redact: Redact): Sanitize =>
    (text, mostCharacters = mostShown) =>
      harmless(cut(redactBounded(text, redact, mostOfSecret), mostCharacters));
  return Object.assign(sanitizeWith(createRedactor(secrets)), {
    namingPersons: sanitizeWith(createPersonNamingRedactor(secrets)),
    hideSecrets: createSecretHider(secrets),
  });
}

function redactBounded(text: string, redact: Redact, mostOfSecret: number): string {
  if (text.length <= mostExamined) return redact(text);
  // The end may hold the first part of a secret, which nobody recognizes.
  return `${redact(text.slice(0, mostExamined)).slice(0, -mostOfSecret)}…`;
}

/** Sanitizes every text in plain data, names of fields included. Anything else in it stays as it is. */
export function sanitizeTexts<Value>(value: Value, sanitize: Sanitize): Value;
export function sanitizeTexts(value: unknown, sanitize: Sanitize): unknown {
  if (typeof value === 'string') return sanitize(value);
  if (Array.isArray(value)) return value.map((item: unknown) => sanitizeTexts(item, sanitize));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [sanitize(key), sanitizeTexts(item, sanitize)]),
  );
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function cut(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text;
  return `${text.slice(0, mostCharacters - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Control characters, which steer a terminal or begin a line; marks that turn the direction of writing, so that a text
 * shows as another; halves of surrogate pairs.
 */
const harmful =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function harmless(text: string): string {
  return text.replace(harmful, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
