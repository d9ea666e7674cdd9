/** JSON texts without e-mail addresses, for those who want none stored anywhere (`USER_EMAIL=none`). */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';

/** A cursor must go back to the platform as it came. It is no part of a record, and is not stored. */
const cursor = String.raw`"(?:next_cursor|nextCursor)"\s*:\s*"(?:[^"\\]|\\.)*"`;
const emailField = String.raw`("user_email"\s*:\s*)"(?:[^"\\]|\\.)*"`;
/** Begins where such a word begins and not within it, or a long word would be looked through once per character. */
const email = String.raw`(?<![^\s@"'<>(),:;[\]\\{}=])[^\s@"'<>(),:;[\]\\{}=]+@[^\s@"'<>(),:;[\]\\{}]+\.[^\s@"'<>(),:;[\]\\{}.]+`;
const withheld = new RegExp(`${cursor}|${emailField}|${email}`, 'g');
const escapedCharacter = /\\(?:u00([2-7][\dA-Fa-f])|.)/g;

/**
 * A JSON text whose fields `user_email` are null, and which has a digest for each e-mail address elsewhere: equal ones
 * stay equal, so that an id or a name that is an address still tells one from another. What is not UTF-8 comes back as
 * it is: it is no answer.
 */
export function withoutEmails(body: Buffer): Buffer {
  if (!isUtf8(body)) return body;
  const text = body.toString('utf8');
  if (!text.includes('@') && !text.includes('\\u00') && !text.includes('user_email')) return body;
  return Buffer.from(
    plainly(text).replace(withheld, (found, field: string | undefined) => {
      if (field !== undefined) return `${field}null`;
      return found.startsWith('"') ? found : `e-mail-${hash('sha256', found).slice(0, 16)}`;
    }),
  );
}

/** The same JSON with characters of ASCII as they are, where they were written as escapes; an address may be. */
function plainly(text: string): string {
  if (!text.includes('\\u00')) return text;
  return text.replace(escapedCharacter, (written, code: string | undefined) => {
    const character = code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16));
    return ['', '"', '\\', '\u007f'].includes(character) ? written : character;
  });
}
