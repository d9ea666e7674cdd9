/** Removes e-mail addresses from JSON texts, so that none is stored anywhere (`USER_EMAIL=none`). */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import {
  atSign,
  domain,
  nameBegins,
  plainlyWritten,
  quotedName,
  setApart,
  unquotedName,
  withPlainAtSigns,
} from './address-pattern.ts';
import { endOfString, followedByColon } from './json-strings.ts';

/** Fields with the cursor of the next page: it must go back to the platform unchanged, and is not stored. */
const cursorFields = new Set(['"next_cursor"', '"nextCursor"']);
const [emailField, idField] = ['"user_email"', '"user_id"'];
/** Every text with an address has one of these signs, in its JSON form and when it is parsed. */
const signs = /[@\uff20\ufe6b%&\\]|=40|=\?/g;
const someAtSign = new RegExp(`${atSign}|=\\?`, 'iu');
/**
 * Patterns of texts that are the address of a repository: `ssh://git@host/owner/name`, `git@host:owner/name`. The part
 * before the @ is a user of the host and no person, unless it contains an address (%40). With HTTP it is a person or a
 * credential, and the address works without it. The lengths are bounded, so that no text costs much time.
 */
const inPath = String.raw`[^\s@"\\/]`;
const inName = String.raw`[^\s@"\\/:]`;
const userOfHost = `${inName}{1,256}@${inName}{1,256}`;
const url = String.raw`(?:git\+)?(?:ssh|git):\/\/(?:${inName}{0,256}:)?${userOfHost}(?::\d{0,5})?\/${inPath}`;
const withPerson = new RegExp(
  String.raw`^((?:git\+)?https?:\/\/)[^\s"\\/]{1,1024}@(?=${inName}{1,256}(?::\d{0,5})?(?:\/|$))`,
);
const secureCopy = String.raw`${userOfHost}:(?=${inPath}{0,2048}(?:\/${inPath}|\.git$))`;
const repository = new RegExp(String.raw`^(?:${url}|${secureCopy})[^\s@"\\]{0,2048}$`);
/** An encoded word of a mail header (RFC 2047). */
const encodedWord = String.raw`=\?[\w-]{1,40}(?:\*[\w-]{0,20})?\?([BQ])\?([^?\s]{1,2048})\?=`;
const address = new RegExp(
  `${encodedWord}|(?:${quotedName}${atSign}${domain}|${nameBegins}${unquotedName}(?:${atSign}${domain}|${setApart}))`,
  'giu',
);

/**
 * Sets the fields `user_email` of a JSON text to null, and replaces all other e-mail addresses by digests. Equal addresses
 * get equal digests, so that ids and names that are addresses stay distinct. Addresses of repositories stay; only the
 * person is removed from `https://jane@host/owner/name`. A text that is not UTF-8 is returned unchanged.
 */
export function withoutEmails(body: Buffer, nameOf: NameOfAddress): Buffer {
  if (!isUtf8(body)) return body;
  const json = body.toString('utf8');
  const parts: string[] = [];
  let [copied, field] = [0, ''];
  const replace = (start: number, end: number, by: string) => {
    parts.push(json.slice(copied, start), by);
    copied = end;
  };
  let nextSign = indexOfSign(json, 0);
  const hasSign = (start: number, end: number) => {
    if (nextSign < start) nextSign = indexOfSign(json, start);
    return nextSign < end;
  };
  let [openLists, countedTo] = [0, 0];
  /** Whether a position is within a list: there a field with the name of a cursor belongs to a record. */
  const isInList = (start: number) => {
    openLists += listsOpened(json, countedTo, start);
    countedTo = start;
    return openLists > 0;
  };
  /** Replaces addresses between strings. There are some only if the text is no valid JSON. */
  const lookBetween = (start: number, end: number) => {
    if (hasSign(start, end)) replace(start, end, withoutAddresses(json.slice(start, end), nameOf));
  };
  let at = 0;
  for (let start = json.indexOf('"'); start >= 0; start = json.indexOf('"', at)) {
    lookBetween(at, start);
    at = endOfString(json, start);
    const isName = followedByColon(json, at);
    const written = json.slice(start, at);
    if (!isName && field === emailField) replace(start, at, 'null');
    else if (hasSign(start, at) && (isName || !cursorFields.has(field) || isInList(start))) {
      const replaced = withoutAddressesIn(written, !isName && field === idField, nameOf);
      if (replaced !== written) replace(start, at, replaced);
    }
    field = isName ? plainName(written) : '';
  }
  lookBetween(at, json.length);
  return parts.length === 0 ? body : Buffer.from([...parts, json.slice(copied)].join(''));
}

/** The number of lists opened between two positions, minus the number of lists closed. No position is within a string. */
function listsOpened(json: string, from: number, to: number): number {
  let opened = 0;
  for (let at = from; at < to; at++) {
    const character = json[at];
    if (character === '"') at = endOfString(json, at) - 1;
    else if (character === '[') opened += 1;
    else if (character === ']') opened -= 1;
  }
  return opened;
}

/** The name without escapes: `"user\u005femail"` means `"user_email"`. */
function plainName(written: string): string {
  return written.includes('\\') ? JSON.stringify(textOf(written) ?? written) : written;
}

function indexOfSign(json: string, from: number): number {
  signs.lastIndex = from;
  return signs.exec(json)?.index ?? Number.POSITIVE_INFINITY;
}

/** Replaces the addresses in a JSON string. An id may be an address with any domain, such as one without a dot. */
function withoutAddressesIn(written: string, isId: boolean, nameOf: NameOfAddress): string {
  const text = textOf(written);
  if (text === undefined) return withoutAddresses(written, nameOf);
  const replaced = isId && isAnyAddress(text) ? nameOf(text) : withoutAddresses(text, nameOf);
  return replaced === text ? written : JSON.stringify(replaced);
}

/** The text of a JSON string; undefined if it is no JSON. */
function textOf(written: string): string | undefined {
  try {
    return String(JSON.parse(written));
  } catch {
    return undefined;
  }
}

function isAnyAddress(text: string): boolean {
  if (!someAtSign.test(text)) return false;
  const plain = withPlainAtSigns(text);
  return /^[^\s@]+@\S*[^\s@]$/.test(plain);
}

function withoutAddresses(text: string, nameOf: NameOfAddress): string {
  if (!someAtSign.test(text)) return text;
  const withoutPerson = text.replace(withPerson, '$1');
  const isRepository =
    repository.test(withoutPerson) && withPlainAtSigns(withoutPerson).split('@').length === 2;
  if (isRepository) return withoutPerson;
  return withoutPerson.replace(address, (found, form: string | undefined, encoded: string | undefined) => {
    if (encoded === undefined) return nameOf(found);
    const decoded = decodedWord(encoded, form?.toUpperCase() === 'B');
    const [inside] = decoded.match(address) ?? [];
    return inside === undefined ? found : nameOf(inside);
  });
}

function decodedWord(encoded: string, isBase64: boolean): string {
  if (isBase64) return Buffer.from(encoded, 'base64').toString();
  const bytes = encoded.replace(/=([\dA-F]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(bytes.replaceAll('_', ' '), 'latin1').toString();
}

/** Returns the digest that replaces an e-mail address. */
export type NameOfAddress = (address: string) => string;

const digits = 16;

/**
 * Returns the function that makes digests of addresses under `key`, the key of an installation: without the key, nobody
 * can compare a digest with a list of addresses. The digests are cut, so SHA-256 is enough and HMAC is not needed.
 */
export function nameUnder(key: Buffer): NameOfAddress {
  return (address) =>
    `e-mail-${hash('sha256', Buffer.concat([key, Buffer.from(plainlyWritten(address))])).slice(0, digits)}`;
}

/** Like `withoutEmails`, for the value of one field; `field` is its name. */
export function withoutEmailsIn(value: string, nameOf: NameOfAddress, field = ''): string {
  const json = withoutEmails(Buffer.from(JSON.stringify({ [field]: value })), nameOf).toString();
  const [withheldValue]: unknown[] = Object.values(JSON.parse(json));
  return String(withheldValue);
}
