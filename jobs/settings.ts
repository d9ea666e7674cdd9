/** Where settings come from: the environment, `.env` in the working directory, and the files that variables name. */
import type { Stats } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, parseConfig } from '../src/model/config.ts';
import { codeOf } from '../src/model/error-code.ts';
import { ConfigurationError } from '../src/model/errors.ts';
import { readRegularFile } from '../src/model/regular-file.ts';
import { sources } from '../src/sources/registry.ts';

/** Far more than any file of settings has. */
const mostBytes = 64 * 1024;
const ownSettings = '.env';
const mayBeWrittenByOthers = 0o022;

/** What was set before `.env` was read for the first time: that wins. */
let givenVariables: ReadonlySet<string> | undefined;
const variablesOfFile = new Set<string>();

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
    ofFile: ownVariables(),
  });
}

/**
 * Puts what `.env` says now into the environment. Throws as `readSettings` does when it cannot be read, or when somebody
 * else than the user of this process and root could have written it.
 */
export function loadOwnSettings(problems: readonly string[] = []): void {
  givenVariables ??= new Set(Object.keys(process.env));
  for (const [name, value] of Object.entries(readOwnSettings(problems)))
    if (!givenVariables.has(name)) {
      process.env[name] = value;
      variablesOfFile.add(name);
    }
}

/** The variables that `.env` set, and not the environment. */
export function ownVariables(): ReadonlySet<string> {
  return variablesOfFile;
}

function readOwnSettings(problems: readonly string[]): NodeJS.Dict<string> {
  try {
    return parseEnv(readRegularFile(ownSettings, mostBytes, refuseForeign).toString('utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    const reason = codeOf(error) === undefined && error instanceof Error ? error.message : 'cannot be read';
    throw new ConfigurationError([...problems, `${ownSettings}: in the working directory, ${reason}`], {
      cause: error,
    });
  }
}

/** Whoever may write there says where the key goes. Throws an error whose message says why, and what to do. */
function refuseForeign(status: Stats): void {
  const user = process.geteuid?.();
  if (user !== undefined && status.uid !== user && status.uid !== 0)
    throw new Error(
      `belongs to another user (uid ${status.uid}, this is ${user}); remove it, or make it yours: chown ${user} ${ownSettings}`,
    );
  // The mode of a link says nothing.
  if (user !== undefined && !status.isSymbolicLink() && (status.mode & mayBeWrittenByOthers) !== 0)
    throw new Error(
      `may be written by others (mode ${(status.mode & 0o7777).toString(8).padStart(4, '0')}); look at what it says, then chmod go-w ${ownSettings}`,
    );
}

/** The text of a small file; throws as `readRegularFile` does. */
export function readSettingsFile(path: string): string {
  return readRegularFile(path, mostBytes).toString('utf8');
}
