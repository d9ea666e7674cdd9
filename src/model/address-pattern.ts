/**
 * Patterns of an e-mail address in any text, as texts of regular expressions (flags `i` and `u`). `withheld-emails.ts`
 * and `redaction.ts` use them. The @ and the dots may be encoded for a URL, HTML, JSON, a program or mail, or be
 * full-width characters; the domain may be `localhost` or an IP address in brackets (RFC 5321 §4.1.3). Each pattern
 * takes time linear in the length of the text.
 */

/** A percent sign and an ampersand, each encoded any number of times. */
const percent = '%(?:25)*';
const ampersand = '&(?:amp;){0,8}';
const wideAt = '\uff20\ufe6b';
const wideDot = '\u2024\u3002\ufe52\uff0e\uff61';

/** An @, however it is written. */
export const atSign = [
  String.raw`(?:(?<!\\)\\*[@${wideAt}]`,
  `${percent}(?:u?0{0,2}40|uFF20|uFE6B|EF${percent}BC${percent}A0|EF${percent}B9${percent}AB)`,
  `${ampersand}(?:#0*64|#x0*40|#65312|#xFF20|#65131|#xFE6B|commat);?`,
  String.raw`(?<!\\)\\+(?:u(?:0040|FF20|FE6B)|x40|u\{0*40\}|0?100)`,
  // Quoted-printable, as in mail. `size=4096` is no @.
  String.raw`=40(?=\p{L}))`,
].join('|');

/** An @ as a regular expression of Postgres, wider than `atSign`: a text that does not match holds no address. */
export const mayHoldAddress = `[@${wideAt}]|%(25)*(u00)?40|%(25)*uF[EF]|%(25)*EF%(25)*B[C9]%|#0*64|#x0*40|#65312|#xFF20|#65131|#xFE6B|commat|u0040|uFF20|uFE6B|x40|u\\{0*40|\\\\0?100|=40[[:alpha:]]|=\\?`;

const dot = [
  String.raw`(?:(?<!\\)\\*[.${wideDot}]`,
  `${percent}(?:u?0{0,2}2E|u3002|u2024|uF[EF](?:0E|52|61)|E2${percent}80${percent}A4|EF${percent}B9${percent}92|E3${percent}80${percent}82|EF${percent}BC${percent}8E|EF${percent}BD${percent}A1)`,
  `${ampersand}(?:#0*46|#x0*2E|#12290|#x3002|#8228|#x2024|#65106|#xFE52|#65294|#xFF0E|#65377|#xFF61|period);?`,
  String.raw`(?<!\\)\\+(?:u(?:002E|2024|3002|FE52|FF0E|FF61)|x2E)`,
  '=2E)',
].join('|');

/** A character of the name before the @, when the name has no quotes. */
export const nameCharacter = String.raw`[^\s@${wideAt}"'<>(),:;[\]\\{}=]`;
/** `nameCharacter` without the signs that begin an encoded character (`%41`, `&amp;`). */
const plainOfName = String.raw`[^\s@${wideAt}"'<>(),:;[\]\\{}=%&]`;
const ofName = String.raw`(?:${plainOfName}|(?!${atSign})[%&]|(?<!\\)\\+[ ,:;<>()[\]=])`;
const plainOfLabel = String.raw`[^\s@${wideAt}"'<>(),:;[\]\\{}=.${wideDot}%&]`;
/** A character of a part of the domain between dots. Letters of other scripts may be percent-encoded. */
const ofLabel = String.raw`(?:${plainOfLabel}|(?!${dot}|${atSign})(?:&|%[89A-F][\dA-F]))`;

/** The name before the @. Other addresses may stand before it, as in a route: `user@host@relay`. */
export const unquotedName = `${ofName}+(?:${atSign}${ofName}+){0,4}`;

/** The beginning of a name. Without it the search would try every character of a long word as a beginning. */
export const nameBegins = String.raw`(?:(?<!${nameCharacter})(?<!\\[ ,:;<>()[\]=])|(?<=${atSign}))`;

/** A name in quotes may hold any character. Within a string the quotes are escaped. */
export const quotedName = String.raw`(?:(?<!\\)"(?:[^"\\]|\\[^])+"|(?<!\\)\\+"[^"\\]+\\+")`;

const digits = String.raw`(?:[\dA-F.:]|%3A)`;
const special = String.raw`localhost(?![\p{L}\p{N}_-])|(?:\[|%5B)(?:[a-z][a-z0-9-]{0,15}(?::|%3A))?${digits}{2,80}(?:\]|%5D)`;
const named = `${ofLabel}+(?:${dot}${ofLabel}+)*${dot}`;

/** The domain after the @. The last label has a letter: `tool@1.2.3` is no address. */
export const domain = String.raw`(?:${special}|${named}(?=${ofLabel}*\p{L})${ofLabel}+)`;

/** Like `domain`, but `tool@1.2.3` matches, too: for places where a version may be taken for an address. */
export const anyDomain = `(?:${special}|${named}${ofLabel}+)`;

/** A character of a domain that has a space before it. Names of files, packages and decorators are no such domain. */
const plain = String.raw`[\p{L}\p{N}_-]`;
const file =
  '(?:json[a-z5]?|txt|md|csv|tsv|xml|ya?ml|toml|[cm]?[jt]sx?|html?|css|sql|py|sh|png|jpe?g|gz|zip|pdf|log|lock|env|key|crt|cfg|conf|ini|bin|dat)';
const blank = String.raw`(?:[^\S\r\n]{1,4}|\r?\n)`;

/** An @ with white space on one or both sides, and a domain of plain characters. */
export const setApart = String.raw`(?<=[\p{L}\p{N}])(?:${blank}${atSign}${blank}?|${atSign}${blank})${plain}+(?:${dot}${plain}+)*${dot}(?!${file}(?!${plain}))\p{L}${plain}+(?!${plain}|[(/@])`;

const everyAtSign = new RegExp(String.raw`\s{0,4}${atSign}\s{0,4}`, 'giu');
const everyDot = new RegExp(dot, 'giu');
const unseen = /[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

/** The plain form of an address: a plain @, plain dots, no invisible characters. */
export function plainlyWritten(address: string): string {
  return withPlainAtSigns(address.replace(unseen, '')).replace(everyDot, '.');
}

/** The text with every form of @ replaced by a plain one, without white space beside it. */
export function withPlainAtSigns(text: string): string {
  return text.replace(everyAtSign, '@');
}
