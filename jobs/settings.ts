/**
 * Reads settings from the environment, from `.env` in the working directory, and from the files that variables name.
 */
import type { Stats } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, parseConfig } from '../src/model/config.ts';
import { codeOf } from '../src/model/error-code.ts';
import { ConfigurationError } from '../src/model/errors.ts';
import { readRegularFile } from '../src/model/regular-file.ts';
import { sources } from '../src/sources/registry.ts';

/** Most bytes of a file with settings; a larger file is refused. */
const mostBytes = 64 * 1024;
const ownSettings = '.env';
const mayBeWrittenByOthers = 0o022;

/** The variables that were set before `.env` was first read; they override `.env`. */
let givenVariables: ReadonlySet<string> | undefined;
const variablesOfFile = new Set<string>();

/**
 * Reads all settings, and reads the files again. Throws `ConfigurationError` with `problems` and all problems of the
 * settings. `needsPlatform` and `named` are those of `parseConfig`.
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
 * Reads `.env` into the environment. Throws like `readSettings` if the file cannot be read, or if somebody besides root
 * and the user of this process may write it.
 */
export function loadOwnSettings(problems: readonly string[] = []): void {
  givenVariables ??= new Set(Object.keys(process.env));
  for (const [name, value] of Object.entries(readOwnSettings(problems)))
    if (!givenVariables.has(name)) {
      process.env[name] = value;
      variablesOfFile.add(name);
    }
}

/** The variables that come from `.env` and not from the environment. */
export function ownVariables(): ReadonlySet<string> {
  return variablesOfFile;
}

function readOwnSettings(problems: readonly string[]): NodeJS.Dict<string> {
  try {
    return parseEnv(readRegularFile(ownSettings, mostBytes, refuseForeign).toString('utf8'));
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    const reason = codeOf(error) === undefined && error instanceof Error ? error.message : 'cannot be read';
    throw new ConfigurationError(
      [...problems, `${ownSettings}: the file in the working directory ${reason}`],
      {
        cause: error,
      },
    );
  }
}

/** Throws if other users may write the file: they could change the address to which the key is sent. */
function refuseForeign(status: Stats): void {
  const user = process.geteuid?.();
  if (user !== undefined && status.uid !== user && status.uid !== 0)
    throw new Error(
      `belongs to another user (uid ${status.uid}, this is ${user}); remove it, or make it yours: chown ${user} ${ownSettings}`,
    );
  // The mode of a link is not looked at, because it has no meaning.
  if (user !== undefined && !status.isSymbolicLink() && (status.mode & mayBeWrittenByOthers) !== 0)
    throw new Error(
      `may be written by others (mode ${(status.mode & 0o7777).toString(8).padStart(4, '0')}); look at what it says, then chmod go-w ${ownSettings}`,
    );
}

/** The text of a small file. Throws like `readRegularFile`. */
export function readSettingsFile(path: string): string {
  return readRegularFile(path, mostBytes).toString('utf8');
}
