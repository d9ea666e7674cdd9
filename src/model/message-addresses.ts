/** Addresses for messages about nights: a webhook and a heartbeat. Both are secrets. */
import { givenSecret, type ReadSecretFile } from './secret-variable.ts';
import { isConfidential } from './setting-kinds.ts';

/** The address of a message and the variable that sets it. */
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
 * Reads the addresses. Adds a sentence without the value to `problems` for each address that is no URL, or that would
 * send its secret unencrypted to another machine.
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
