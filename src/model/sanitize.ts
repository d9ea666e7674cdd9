/**
 * Sanitizes text from outside: from the platform, the database, a file or the environment. Before a text is shown, logged
 * or recorded, secrets and personal data in it are hidden, and it is cut and made harmless for a terminal.
 */
import { createPersonNamingRedactor, createRedactor, createSecretHider, type Redact } from './redaction.ts';

/** Returns the text on one line, with at most `mostCharacters` characters. */
export type Sanitize = (text: string, mostCharacters?: number) => string;

/** The sanitizer of a process. */
export interface Sanitizer extends Sanitize {
  /** Sanitizes, but keeps e-mail addresses: for commands that ask about persons. */
  readonly namingPersons: Sanitize;
  /** Hides secrets and nothing else: for payloads that are kept as received. */
  readonly hideSecrets: Redact;
}

const mostShown = 2_000;
/** Characters that are searched for secrets; the rest of a longer text is dropped. */
const mostExamined = 65_536;
/** Longest match of a redaction pattern, such as a password in a URL. */
const longestPattern = 1_500;

/** Most characters that one character of a secret takes when it is encoded twice. */
const mostPerCharacter = 16;

/** A sanitizer that also hides `secrets`. */
export function createSanitizer(secrets: readonly string[]): Sanitizer {
  const mostOfSecret = secrets.reduce(
    (most, { length }) => Math.max(most, mostPerCharacter * length),
    longestPattern,
  );
  const hideSecrets = createSecretHider(secrets);
  const sanitizeWith =
    (redact: Redact): Sanitize =>
    (text, mostCharacters = mostShown) =>
      harmless(cut(redactBounded(text, redact, mostOfSecret), mostCharacters));
  return Object.assign(sanitizeWith(createRedactor(secrets, hideSecrets)), {
    namingPersons: sanitizeWith(createPersonNamingRedactor(secrets, hideSecrets)),
    hideSecrets,
  });
}

function redactBounded(text: string, redact: Redact, mostOfSecret: number): string {
  if (text.length <= mostExamined) return redact(text);
  // Drop the end of the searched part: a secret may be cut off there, and no pattern recognizes its beginning alone.
  return `${redact(text.slice(0, mostExamined)).slice(0, -mostOfSecret)}…`;
}

/** Sanitizes every text in plain data, field names included; other values stay as they are. */
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
 * Control characters, marks that change the direction of writing (with them a text looks like another text), and
 * unpaired surrogates.
 */
const harmful =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function harmless(text: string): string {
  return text.replace(harmful, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
