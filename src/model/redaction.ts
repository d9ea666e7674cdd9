/** The one list of what must never be shown: applied to whatever is logged, printed or recorded, before it is cut. */

import type { MessageAddresses } from './message-addresses.ts';

/** Hides secrets and personal data in a text. */
export type Redact = (text: string) => string;

const hidden = '[redacted]';
// Bounded, so that a long text without any of these is not looked through to its end from each of its characters.
const urlWithPassword = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s:/?#@"']{0,200}:)[^\s@"']{1,1000}@/gi;
const bearerToken = /(bearer\s+)[^\s"',\\]+/gi;
/** Begins where such a word begins and not within it, or a long word would be looked through once per character. */
const email =
  /(?<![^\s@"'<>(),:;[\]\\{}=])[^\s@"'<>(),:;[\]\\{}=]+@[^\s@"'<>(),:;[\]\\{}]+\.[^\s@"'<>(),:;[\]\\{}.]+/g;

/** A function that hides `secrets` wherever they stand, passwords in URLs, bearer tokens and e-mail addresses. */
export function createRedactor(secrets: readonly string[]): Redact {
  const redact = createPersonNamingRedactor(secrets);
  return (text) => redact(text).replace(email, (match) => (match.includes(hidden) ? match : hidden));
}

/** The same, but e-mail addresses stay. */
export function createPersonNamingRedactor(secrets: readonly string[]): Redact {
  const hideSecrets = createSecretHider(secrets);
  return (text) =>
    hideSecrets(text).replace(urlWithPassword, `$1${hidden}@`).replace(bearerToken, `$1${hidden}`);
}

/** A function that hides `secrets` wherever they stand, and leaves all else as it is. */
export function createSecretHider(secrets: readonly string[]): Redact {
  const known = secrets
    .flatMap((secret) => [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
    .filter((secret) => secret.length > 2)
    .sort((a, b) => b.length - a.length);
  return (text) => known.reduce((result, secret) => result.replaceAll(secret, hidden), text);
}

/**
 * The secrets in a configuration: the API key, the password of the database, from its URL or `environment`, and the
 * addresses that messages go to.
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
  return secrets;
}

/** A shorter path is no secret, and may stand in any text. */
const shortestSecretPath = 12;

/** All of it, and what an error may quote of it: the path, with and without what follows. */
function secretsOfAddress({ href, pathname, search }: URL): string[] {
  return [href, ...[`${pathname}${search}`, pathname].filter((part) => part.length >= shortestSecretPath)];
}

/** A password may hold a percent sign that encodes nothing. */
function decoded(secret: string): string {
  try {
    return decodeURIComponent(secret);
  } catch {
    return secret;
  }
}
