/** Hides secrets and personal data in every text that is logged, printed or recorded, before the text is cut. */

import { anyDomain, atSign, nameBegins, quotedName, setApart, unquotedName } from './address-pattern.ts';
import type { MessageAddresses } from './message-addresses.ts';
import { bytesOf, createSecretFinder, mostNoSecret, textOf } from './secret-readings.ts';
import { createTextSearch } from './text-search.ts';

/** Hides secrets and personal data in a text. */
export type Redact = (text: string) => string;

const hidden = '[redacted]';
// The lengths are bounded, so that the time stays linear in the length of the text.
const urlWithPassword = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/?#@"']{0,200}:)[^\s@"']{1,1000}@/gi;
const bearerToken = /(bearer\s+)[^\s"',\\]+/gi;
/** Parameters of a URL whose name says that they are a key or a password, also in a text that quotes them. */
const namedSecret =
  /((?:api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|passw(?:or)?d)(?:=|%3d))[^\s"',;&\\]+/gi;
const email = new RegExp(
  `${quotedName}${atSign}${anyDomain}|${nameBegins}${unquotedName}(?:${atSign}${anyDomain}|${setApart})`,
  'giu',
);

/** Returns a function that hides `secrets`, passwords in URLs, bearer tokens and e-mail addresses. */
export function createRedactor(secrets: readonly string[], hideSecrets = createSecretHider(secrets)): Redact {
  const redact = createPersonNamingRedactor(secrets, hideSecrets);
  return (text) => redact(text).replace(email, (match) => (match.includes(hidden) ? match : hidden));
}

/** Like `createRedactor`, but keeps e-mail addresses. */
export function createPersonNamingRedactor(
  secrets: readonly string[],
  hideSecrets = createSecretHider(secrets),
): Redact {
  return (text) =>
    hideSecrets(text)
      .replace(urlWithPassword, `$1${hidden}@`)
      .replace(bearerToken, `$1${hidden}`)
      .replace(namedSecret, `$1${hidden}`);
}

/**
 * Returns a function that hides only `secrets`, also where they are encoded for URLs, HTML or JSON (once or several
 * times), within Base64 or hexadecimal digits, or split by white space.
 */
export function createSecretHider(secrets: readonly string[]): Redact {
  const known = secrets
    .flatMap((secret) => {
      const inUrl = encodeURIComponent(secret);
      return [secret, inUrl, inUrl.replaceAll('%20', '+'), JSON.stringify(secret).slice(1, -1)];
    })
    .filter((secret) => secret.length > mostNoSecret);
  const [find, search] = [createSecretFinder(secrets), createTextSearch(known)];
  return (text) => hideFound(hideEncoded(text, find), search);
}

/** Hides what `search` finds. Longer texts first: a shorter one may be part of a longer one. */
function hideFound(text: string, search: ReturnType<typeof createTextSearch>): string {
  const found = search(text).sort((a, b) => a.at - b.at || b.text.length - a.text.length);
  let [result, shownTo] = ['', 0];
  for (const { at, text: secret } of found) {
    if (at + secret.length <= shownTo) continue;
    if (at >= shownTo) result += `${text.slice(shownTo, at)}${hidden}`;
    shownTo = at + secret.length;
  }
  return result + text.slice(shownTo);
}

function hideEncoded(text: string, find: ReturnType<typeof createSecretFinder>): string {
  const bytes = bytesOf(text);
  const places = find(bytes).sort((a, b) => a.start - b.start);
  if (places.length === 0) return text;
  const parts: string[] = [];
  let shownTo = -1;
  for (const { start, end } of places) {
    if (start > shownTo) parts.push(bytes.slice(Math.max(shownTo, 0), start), hidden);
    shownTo = Math.max(shownTo, end);
  }
  return textOf([...parts, bytes.slice(shownTo)].join(''));
}

/**
 * All secrets of a configuration: API key, database password (from the URL or `environment`), message addresses, and
 * the credentials that `environment` holds for proxies and the OTLP collector.
 */
export function secretsOf(
  settings: {
    readonly platform: { readonly apiKey: string } | undefined;
    readonly databaseUrl: string | undefined;
    readonly messages?: MessageAddresses;
  },
  environment: Readonly<Record<string, string | undefined>> = {},
): string[] {
  const secrets: string[] = environment.PGPASSWORD ? [environment.PGPASSWORD] : [];
  if (settings.platform !== undefined) secrets.push(settings.platform.apiKey);
  if (settings.databaseUrl !== undefined && URL.canParse(settings.databaseUrl)) {
    const { password, searchParams } = new URL(settings.databaseUrl);
    for (const secret of [password, searchParams.get('password') ?? ''])
      if (secret !== '') secrets.push(secret, decoded(secret));
  }
  for (const address of Object.values(settings.messages ?? {}))
    secrets.push(...secretsOfAddress(address.url));
  for (const [name, value = ''] of Object.entries(environment)) {
    if (/^(?:https?|all|ftp)_proxy$/i.test(name)) secrets.push(...secretsOfProxy(value));
    if (/^OTEL_EXPORTER_OTLP_(?:[A-Z]+_)?HEADERS$/.test(name)) secrets.push(...secretsOfHeaders(value));
  }
  return secrets;
}

/** Secrets of a proxy address: the password, or the user name when there is no password (it may be a token). */
function secretsOfProxy(address: string): string[] {
  const userInfo = /^(?:[a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)@/i.exec(address.trim())?.[1];
  if (userInfo === undefined) return [];
  const colon = userInfo.indexOf(':');
  const secret = colon < 0 ? userInfo : userInfo.slice(colon + 1) || userInfo.slice(0, colon);
  return secret === '' ? [] : [secret, decoded(secret)];
}

/** A shorter header value is no secret unless the header's name says so: it may be a word. */
const shortestHeader = 8;
const secretHeader = /auth|cookie|credential|key|pass|secret|sign|token/i;

/** The secret values in `name=value,name=value`, as written, percent-decoded, and without a scheme such as `Bearer`. */
function secretsOfHeaders(headers: string): string[] {
  return headers.split(',').flatMap((header) => {
    const [name = '', ...rest] = header.split('=');
    const value = rest.join('=').trim();
    if (value === '' || !(secretHeader.test(name) || value.length >= shortestHeader)) return [];
    const plain = decoded(value);
    return [value, plain, /^\S+\s+(\S.*)$/.exec(plain)?.[1] ?? ''].filter((secret) => secret !== '');
  });
}

/** A shorter path is no secret: it may occur in any text. */
const shortestSecretPath = 12;

/** The address and the parts of it that an error may quote: the path, with and without the query. */
function secretsOfAddress({ href, pathname, search }: URL): string[] {
  return [href, ...[`${pathname}${search}`, pathname].filter((part) => part.length >= shortestSecretPath)];
}

/** The percent-decoded secret; unchanged when it has a percent sign that encodes nothing. */
function decoded(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    return secret;
  }
}
