/** Where settings come from: the environment, `.env` in the working directory, and the files that variables name. */
import { parseEnv } from 'node:util';
import { type Config, parseConfig } from '../src/model/config.ts';
import { codeOf } from '../src/model/error-code.ts';
import { ConfigurationError } from '../src/model/errors.ts';
import { sources } from '../src/sources/registry.ts';
import { readRegularFile } from './regular-file.ts';

/** Far more than any file of settings has. */
const mostBytes = 64 * 1024;
const ownSettings = '.env';

/** What was set before `.env` was read for the first time: that wins. */
let givenVariables: ReadonlySet<string> | undefined;

/**
 * Reads the settings, files and all, as they are now. Throws `ConfigurationError` with `problems` and every one found
 * here; `needsPlatform` and `named` as in `parseConfig`.
 */
export function readSettings(
  needsPlatform: boolean,
  problems: readonly string[] = [],
  named: readonly string[] = [],
): Config {
  loadOwnSettings(problems);
  return parseConfig(process.env, {
    needsPlatform,
    readSecretFile: readSettingsFile,
    sources,
    named,
    problems,
  });
}

/** Puts what `.env` says now into the environment. Throws as `readSettings` does when it cannot be read. */
export function loadOwnSettings(problems: readonly string[] = []): void {
  givenVariables ??= new Set(Object.keys(process.env));
  for (const [name, value] of Object.entries(readOwnSettings(problems)))
    if (!givenVariables.has(name)) process.env[name] = value;
}

function readOwnSettings(problems: readonly string[]): NodeJS.Dict<string> {
  try {
    return parseEnv(readSettingsFile(ownSettings));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    const reason = codeOf(error) === undefined && error instanceof Error ? error.message : 'cannot be read';
    throw new ConfigurationError([...problems, `${ownSettings}: in the working directory, ${reason}`], {
      cause: error,
    });
  }
}

/** The text of a small file; throws as `readRegularFile` does. */
export function readSettingsFile(path: string): string {
  return readRegularFile(path, mostBytes).toString('utf8');
}
