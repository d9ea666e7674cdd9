/** Whom nights are told to: a webhook, and somebody who waits for a sign of life. Both addresses are secrets. */
import { givenSecret, type ReadSecretFile } from './secret-variable.ts';
import { isConfidential } from './setting-kinds.ts';

/** Where a message goes, and the variable that says so. */
export interface MessageAddress {
  readonly variable: string;
  readonly url: URL;
}

/** The addresses that are set. */
export interface MessageAddresses {
  readonly webhook?: MessageAddress;
  readonly heartbeat?: MessageAddress;
}

/**
 * Reads the addresses; adds a sentence to `problems`, without the value, for each that is none, or that would carry its
 * own secret in clear text to another machine.
 */
export function messageAddresses(
  given: Readonly<Record<string, string | undefined>>,
  readSecretFile: ReadSecretFile,
  problems: string[],
): MessageAddresses {
  const addressIn = (name: string): MessageAddress | undefined => {
    const secret = givenSecret(name, given, readSecretFile, problems);
    if (secret === undefined) return undefined;
    const { variable, text } = secret;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url !== undefined && isUsable(url)) return { variable, url };
    problems.push(
      `${variable}: expected a URL that begins with https://, or with http:// on loopback only, without user name and password`,
    );
    return undefined;
  };
  const webhook = addressIn('NOTIFY_WEBHOOK_URL');
  const heartbeat = addressIn('HEARTBEAT_URL');
  return { ...(webhook && { webhook }), ...(heartbeat && { heartbeat }) };
}

function isUsable(url: URL): boolean {
  return isConfidential(url) && url.username === '' && url.password === '';
}
