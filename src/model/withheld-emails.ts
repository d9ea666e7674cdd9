/** JSON texts without e-mail addresses, for those who want none stored anywhere (`USER_EMAIL=none`). */
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

/** A cursor must go back to the platform as it came. It stands beside the list of records, and is not stored. */
const cursorFields = new Set(['"next_cursor"', '"nextCursor"']);
const [emailField, idField] = ['"user_email"', '"user_id"'];
/** What any text has that holds an address, before and after it is read as JSON. */
const signs = /[@\uff20\ufe6b%&\\]|=40|=\?/g;
const someAtSign = new RegExp(`${atSign}|=\\?`, 'iu');
/**
 * A text that is the address of a repository, and nothing else: `ssh://git@host/owner/name`, `git@host:owner/name`. What
 * stands before its @ is a user of the host, unless an address is written into it (%40). Bounded: no address is longer.
 * With HTTP it is a person, or a credential, and the address means the same without.
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
/** A part of a mail's header that is encoded as a whole (RFC 2047). */
const encodedWord = String.raw`=\?[\w-]{1,40}(?:\*[\w-]{0,20})?\?([BQ])\?([^?\s]{1,2048})\?=`;
const address = new RegExp(
  `${encodedWord}|(?:${quotedName}${atSign}${domain}|${nameBegins}${unquotedName}(?:${atSign}${domain}|${setApart}))`,
  'giu',
);

/**
 * A JSON text whose fields `user_email` are null, and which has a digest for each e-mail address elsewhere: equal ones
 * stay equal, so that an id or a name that is an address still tells one from another. The address of a repository stays
 * what it is, but for who reads it (`https://jane@host/owner/name`). What is not UTF-8 comes back as it is: it is no answer.
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
  /** What is called a cursor there is a field of a record. */
  const isInList = (start: number) => {
    openLists += listsOpened(json, countedTo, start);
    countedTo = start;
    return openLists > 0;
  };
  /** What stands between strings is of no interest, unless this is no JSON. */
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

/** How many more lists are open at the second place than at the first; both stand between strings. */
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

/** A name may be written with escapes (`"user\u005femail"`), and means the same. */
function plainName(written: string): string {
  return written.includes('\\') ? JSON.stringify(textOf(written) ?? written) : written;
}

function indexOfSign(json: string, from: number): number {
  signs.lastIndex = from;
  return signs.exec(json)?.index ?? Number.POSITIVE_INFINITY;
}

/** The same for a string as JSON writes it; an id that is an address may have any domain, also one within a company. */
function withoutAddressesIn(written: string, isId: boolean, nameOf: NameOfAddress): string {
  const text = textOf(written);
  if (text === undefined) return withoutAddresses(written, nameOf);
  const replaced = isId && isAnyAddress(text) ? nameOf(text) : withoutAddresses(text, nameOf);
  return replaced === text ? written : JSON.stringify(replaced);
}

/** Undefined for what is no JSON. */
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

/** What stands in the place of an e-mail address. */
export type NameOfAddress = (address: string) => string;

const digits = 16;
const digestOfAnyInstallation = new RegExp(`e-mail-[\\da-f]{${digits}}`, 'g');

/**
 * What stood in the place of an address before there was a key: whoever has a list of addresses could tell which. Nothing
 * is stored under it any more, but what is known of forgotten persons may be.
 */
export function guessableName(address: string): string {
  return `e-mail-${hash('sha256', plainlyWritten(address)).slice(0, digits)}`;
}

/** What stands in the place of an address in one installation, by its key: the migration 0029 made the same of older names. */
export function nameUnder(key: Buffer): NameOfAddress {
  return (address) => nameOfGuessable(key, guessableName(address));
}

/** A JSON text in which names that could be guessed, if it has any, are those of the installation. */
export function withoutGuessableNames(body: Buffer, key: Buffer): Buffer {
  if (!body.includes('e-mail-')) return body;
  return Buffer.from(
    body.toString('utf8').replace(digestOfAnyInstallation, (name) => nameOfGuessable(key, name)),
  );
}

/** Text and key are of one length each, and the digest is cut: it needs no HMAC, which the migration could not compute. */
function nameOfGuessable(key: Buffer, name: string): string {
  return `e-mail-${hash('sha256', Buffer.concat([key, Buffer.from(name)])).slice(0, digits)}`;
}

/** The same as `withoutEmails` for the value of one field. */
export function withoutEmailsIn(value: string, nameOf: NameOfAddress, field = ''): string {
  const json = withoutEmails(Buffer.from(JSON.stringify({ [field]: value })), nameOf).toString();
  const [withheldValue]: unknown[] = Object.values(JSON.parse(json));
  return String(withheldValue);
}
