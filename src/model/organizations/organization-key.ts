/** Reads the keys of the organizations of ORGANIZATIONS_FILE. */
import { codeOf } from '../error-code.ts';
import { ConfigurationError } from '../errors.ts';
import { readRegularFile } from '../regular-file.ts';
import type { OrganizationEntry } from './organization-entry.ts';

/** A larger file is refused. A key is much shorter. */
const mostBytes = 16 * 1024;
const printable = /^[\x21-\x7e]+$/;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the key of an organization anew, without surrounding white space. Throws `ConfigurationError`, with the name of
 * the organization and neither the key nor a path, if the file or the variable has none.
 */
export function readKey(
  { name, key }: Pick<OrganizationEntry, 'name' | 'key'>,
  environment: Environment,
): string {
  const fail = (sentence: string, cause?: unknown): never => {
    throw new ConfigurationError([`${name}: ${sentence}`], { cause });
  };
  if ('variable' in key) {
    const text = environment[key.variable]?.trim() ?? '';
    if (text === '') return fail(`api_key_env: the variable ${key.variable} is not set; set it to the key`);
    if (printable.test(text)) return text;
    return fail(
      `api_key_env: the variable ${key.variable} holds no key; expected printable characters without spaces, on one line`,
    );
  }
  let text: string;
  try {
    text = readRegularFile(key.file, mostBytes)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim();
  } catch (error) {
    // Without the path: the user may have put the key itself there.
    const code = codeOf(error);
    const reason =
      code === undefined && error instanceof Error ? error.message : `cannot be read (${code ?? 'unknown'})`;
    return fail(`api_key_file: the file that it names ${reason}; put the key there, as the only line`);
  }
  if (text === '')
    return fail('api_key_file: the file that it names is empty; put the key there, as the only line');
  if (printable.test(text)) return text;
  return fail(
    'api_key_file: the file that it names holds no key; expected printable characters without spaces, on one line',
  );
}

/** The keys that can be read, so that no output shows them. A run reports those that cannot. */
export function readableKeys(entries: readonly OrganizationEntry[], environment: Environment): string[] {
  return entries.flatMap((entry) => {
    try {
      return [readKey(entry, environment)];
    } catch (error) {
      if (error instanceof ConfigurationError) return [];
      throw error;
    }
  });
}
