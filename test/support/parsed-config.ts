/** Parses settings without reading files: `/run/key` has a key, `/run/empty` is empty, and no other file exists. */
import { type Config, parseConfig } from '../../src/model/config.ts';
import { ConfigurationError } from '../../src/model/errors.ts';

/** The settings that a load needs. */
export const complete = { API_BASE_URL: 'https://api.example.com', API_KEY: 'sk-secret' };

/** The settings; throws like `parseConfig`. */
export function parse(environment: Record<string, string | undefined>, needsPlatform = true): Config {
  return parseConfig(environment, {
    needsPlatform,
    readSecretFile: (path) => {
      if (path === '/run/key') return ' sk-from-file \n';
      if (path === '/run/empty') return '\n';
      throw Object.assign(new Error('no such file'), { code: 'ENOENT' });
    },
  });
}

/** The problems of the settings; empty if there are none. */
export function problemsOf(
  environment: Record<string, string | undefined>,
  needsPlatform = true,
): readonly string[] {
  try {
    parse(environment, needsPlatform);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}
