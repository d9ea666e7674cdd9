/** JSON texts without e-mail addresses, for those who want none stored anywhere (`USER_EMAIL=none`). */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

const character = String.raw`[^\s@"'<>(),:;[\]\\{}=]`;
const label = String.raw`[^\s@"'<>(),:;[\]\\{}.]`;
const text = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
/** A cursor must go back to the platform as it came. It is no part of a record, and is not stored. */
const cursor = String.raw`"(?:next_cursor|nextCursor)"\s*:\s*${text}`;
const emailField = String.raw`("user_email"\s*:\s*)${text}`;
/**
 * A text that is the address of a repository, and nothing else: `ssh://git@host/owner/name`, `git@host:owner/name`. What
 * stands before its @ is a user of the host, unless an address is written into it (%40). Bounded: no address is longer.
 * With HTTP it is a person, or a credential, and the address means the same without.
 */
const slash = String.raw`\\?\/`;
const inPath = String.raw`[^\s@"\\/]`;
const inName = String.raw`[^\s@"\\/:]`;
const userOfHost = `${inName}{1,256}@${inName}{1,256}`;
const url = String.raw`(?:git\+)?(?:ssh|git):${slash}${slash}(?:${inName}{0,256}:)?${userOfHost}(?::\d{0,5})?${slash}${inPath}`;
const withPerson = String.raw`("(?:git\+)?https?:${slash}${slash})[^\s"\\/]{1,1024}@(?=${inName}{1,256}(?::\d{0,5})?(?:${slash}|"))`;
const secureCopy = String.raw`${userOfHost}:(?=${inPath}{0,2048}(?:${slash}${inPath}|\.git"))`;
const repository = `"(?![^"@]{0,1024}%40)(?:${url}|${secureCopy})(?:${inPath}|${slash}){0,2048}"`;
/** Taken whole: its last character is no part of the word that follows. */
const escaped = String.raw`\\(?:u[\dA-Fa-f]{4}|.)`;
/**
 * Begins where such a word begins and not within it, or a long word would be looked through once per character. Its last
 * label has a letter: `tool@1.2.3` is no address.
 */
const begins = String.raw`(?:(?<!${character})|(?<=\\(?:[bfnrt]|u[\dA-Fa-f]{4})))`;
const email = String.raw`${begins}${character}+@[^\s@"'<>(),:;[\]\\{}]+\.(?=${label}*\p{L})${label}+`;
const withheld = new RegExp(`${cursor}|${emailField}|${withPerson}|${repository}|${escaped}|${email}`, 'gu');
const escapedCharacter = /\\(?:u([\dA-Fa-f]{4})|.)/g;

/**
 * A JSON text whose fields `user_email` are null, and which has a digest for each e-mail address elsewhere: equal ones
 * stay equal, so that an id or a name that is an address still tells one from another. The address of a repository stays
 * what it is, but for who reads it (`https://jane@host/owner/name`). What is not UTF-8 comes back as it is: it is no answer.
 */
export function withoutEmails(body: Buffer): Buffer {
  if (!isUtf8(body)) return body;
  const json = body.toString('utf8');
  if (!json.includes('@') && !json.includes('\\u') && !json.includes('user_email')) return body;
  return Buffer.from(
    plainly(json).replace(withheld, (found, field: string | undefined, beforePerson: string | undefined) => {
      if (field !== undefined) return `${field}null`;
      if (beforePerson !== undefined) return beforePerson;
      return /^["\\]/.test(found) ? found : withheldEmail(found);
    }),
  );
}

/** What stands in the place of an e-mail address. */
export function withheldEmail(address: string): string {
  return `e-mail-${hash('sha256', address).slice(0, 16)}`;
}

/** The same for a text that is no JSON. */
export function withoutEmailsIn(name: string): string {
  return String(JSON.parse(withoutEmails(Buffer.from(JSON.stringify(name))).toString()));
}

/** The same JSON with characters as they are where they were written as escapes: those of an address may be. */
function plainly(json: string): string {
  if (!json.includes('\\u')) return json;
  return json.replace(escapedCharacter, (written, code: string | undefined) => {
    if (code === undefined) return written === '\\/' ? '/' : written;
    const unit = Number.parseInt(code, 16);
    // Quotes, backslashes, control characters and halves of pairs stay as they must be written.
    const stays =
      unit < 0x20 || unit === 0x22 || unit === 0x5c || unit === 0x7f || (unit >= 0xd800 && unit <= 0xdfff);
    return stays ? written : String.fromCharCode(unit);
  });
}
