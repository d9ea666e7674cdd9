/**
 * Reads settings from the environment, from `.env` in the working directory, and from the files that variables name.
 */
import type { Stats } from 'node:fs';
import { parseEnv } from 'node:util';
import { type Config, parseConfig } from '../src/model/config.ts';
import { codeOf } from '../src/model/error-code.ts';
import { ConfigurationError } from '../src/model/errors.ts';
import {
  chosenOrganizations,
  type OrganizationChoice,
} from '../src/model/organizations/chosen-organizations.ts';
import { configOf } from '../src/model/organizations/organization-config.ts';
import type { OrganizationEntry } from '../src/model/organizations/organization-entry.ts';
import { readKey } from '../src/model/organizations/organization-key.ts';
import { requireSources } from '../src/model/organizations/required-sources.ts';
import { readRegularFile } from '../src/model/regular-file.ts';
import type { ReadSecretFile } from '../src/model/secret-variable.ts';
import { sources } from '../src/sources/registry.ts';

/** Most bytes of a file with settings; a larger file is refused. */
const mostBytes = 64 * 1024;
const ownSettings = '.env';
const mayBeWrittenByOthers = 0o022;

/** The variables that were set before `.env` was first read; they override `.env`. */
let givenVariables: ReadonlySet<string> | undefined;
const variablesOfFile = new Set<string>();

/** What a command needs of the settings. */
export interface SettingsNeed {
  readonly needsPlatform: boolean;
  /** Problems of the command line. */
  readonly problems?: readonly string[];
  /** Sources that the command line names. */
  readonly named?: readonly string[];
  /** Organizations of ORGANIZATIONS_FILE that the command line names. */
  readonly organizations?: OrganizationChoice;
}

/**
 * Reads all settings again, also the files. Throws `ConfigurationError` with the problems of the command line and all
 * problems that it finds. A command for one organization gets the settings and the key of that one.
 */
export async function readSettings(need: SettingsNeed): Promise<Config> {
  loadOwnSettings(need.problems);
  return settingsFrom(process.env, need, readSettingsFile);
}

/** The same without ORGANIZATIONS_FILE: `organizations` is undefined. */
export function readProcessSettings(): Config {
  loadOwnSettings();
  return parseConfig(process.env, {
    needsPlatform: false,
    readSecretFile: readSettingsFile,
    sources,
    ofFile: ownVariables(),
  });
}

/** Reads all settings from `environment`, and the files that it names. It throws like `readSettings`. */
export async function settingsFrom(
  environment: Readonly<Record<string, string | undefined>>,
  need: SettingsNeed,
  readSecretFile: ReadSecretFile,
): Promise<Config> {
  const { needsPlatform, named = [], organizations: choice = { names: [], takesOne: false } } = need;
  const problems = [...(need.problems ?? [])];
  const organizations = await organizationsIn(environment, { needsPlatform, named, choice }, problems);
  const ofFile = ownVariables();
  const config = parseConfig(environment, {
    needsPlatform,
    readSecretFile,
    sources,
    named,
    problems,
    ofFile,
  });
  const [only] = organizations ?? [];
  if (!choice.takesOne || only === undefined) return { ...config, organizations };
  return configOf(only, config, needsPlatform ? readKey(only, environment) : undefined);
}

/** The organizations of the file that a command works on; undefined without the file. */
async function organizationsIn(
  environment: Readonly<Record<string, string | undefined>>,
  {
    choice,
    needsPlatform,
    named,
  }: { choice: OrganizationChoice; needsPlatform: boolean; named: readonly string[] },
  problems: string[],
): Promise<readonly OrganizationEntry[] | undefined> {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const file = given.ORGANIZATIONS_FILE;
  if (file === undefined) return chosenOrganizations(undefined, choice, problems);
  const { readOrganizationsFile } = await import('../src/model/organizations/organizations-file.ts');
  const rules = { file, given, sources, needsPlatform, ofFile: ownVariables() };
  const found: string[] = [];
  const entries = readOrganizationsFile(rules, found);
  problems.push(...found);
  // With a wrong entry the names are not all known.
  if (found.length > 0) return undefined;
  const chosen = chosenOrganizations(entries, choice, problems);
  return chosen?.map((entry) => requireSources(entry, { sources, named, needsPlatform }, problems));
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
