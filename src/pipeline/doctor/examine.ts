/** Makes all checks that help before the first night. */
import type { Clock } from '../../model/clock.ts';
import type { Config } from '../../model/config.ts';
import { doubtful, type Finding, good, unchecked, uncheckedBecause } from '../../model/finding.ts';
import type { OrganizationEntry } from '../../model/organizations/organization-entry.ts';
import { isLoopback } from '../../model/setting-kinds.ts';
import { sources } from '../../sources/registry.ts';
import { dataDirectory } from '../runs/open-warehouse.ts';
import { checkDatabase, databaseChecks, notAsked } from './check-database.ts';
import { checkOrganizations } from './check-organizations.ts';
import { checkApp, checkPlatform } from './check-platform.ts';
import { checkRoom } from './check-room.ts';
import { checkSecretFiles } from './check-secret-files.ts';
import { type CheckedSettings, checkSettings, type SettingsToCheck } from './check-settings.ts';

/** The default path of the readiness reports (platform-api.md §4.3). */
const readinessPath = '/api/organization/maturity-level-reports';

/** The context of the checks. */
export interface Surroundings extends SettingsToCheck {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The findings, and the checked settings. */
export interface Examination {
  readonly findings: readonly Finding[];
  readonly settings: CheckedSettings;
}

/** Makes every possible check. Writes nothing, and sends each platform at most three requests. */
export async function examine(surroundings: Surroundings): Promise<Examination> {
  const settings = await checkSettings(surroundings);
  const [files, platform, database, room] = await Promise.all([
    checkSecretFiles(surroundings.environment, surroundings.ofFile),
    platformFindings(settings, surroundings),
    databaseFindings(settings, surroundings),
    checkRoom(dataDirectory(settings.config), isEmbedded(settings)),
  ]);
  return { findings: [...settings.findings, ...files, ...platform, ...database, room], settings };
}

async function platformFindings(
  { config, wrong }: CheckedSettings,
  { environment, clock, signal }: Surroundings,
): Promise<Finding[]> {
  const { platform, appUrl, organizations } = config;
  if (organizations !== undefined) {
    const appPath = ({ settings }: OrganizationEntry) => readinessPathOf(settings);
    return checkOrganizations(organizations, { environment, clock, signal, appPath });
  }
  if (platform !== undefined) {
    const toCheck = { platform, clock, signal };
    const path = readinessPathOf(config);
    const [found, app] = await Promise.all([
      checkPlatform(toCheck),
      appUrl === undefined ? [] : [checkApp({ ...toCheck, appUrl, path })],
    ]);
    return [...found.findings, ...(await Promise.all(app))];
  }
  const named = [...wrong].filter((name) => /^API_(?:BASE_URL|KEY)/.test(name));
  const told = named.map((name) => name.replace(/_FILE$/, ''));
  return ['API_BASE_URL', 'API_KEY', 'clock']
    .filter((name) => !told.includes(name))
    .map((name) => uncheckedBecause(name, named[0] ?? 'API_BASE_URL'));
}

function readinessPathOf({ paths }: Pick<Config, 'paths'>): string {
  return `${paths.READINESS_PATH ?? readinessPath}?limit=1`;
}

function isEmbedded({ config, wrong }: CheckedSettings): boolean {
  return config.databaseUrl === undefined && !wrong.has('DATABASE_URL') && !wrong.has('DATABASE_URL_FILE');
}

async function databaseFindings(
  { config, wrong }: CheckedSettings,
  { environment, signal }: Surroundings,
): Promise<Finding[]> {
  const misnamed = ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => wrong.has(name));
  if (misnamed !== undefined) return notAsked(misnamed);
  const endpoints = sources.filter(({ partitioning }) => partitioning.kind === 'day').map(({ name }) => name);
  const variable = environment.DATABASE_URL_FILE ? 'DATABASE_URL_FILE' : 'DATABASE_URL';
  if (config.databaseUrl !== undefined)
    return checkDatabase({ url: config.databaseUrl, variable, endpoints, signal });
  const detail = `not set: the embedded Postgres in ${dataDirectory(config)} is used; the first run makes and migrates it`;
  const platforms = config.organizations ?? (config.platform === undefined ? [] : [config.platform]);
  const isOwn = platforms.every(({ baseUrl }) => isLoopback(baseUrl));
  const next = 'set it to the server of the warehouse, if there is one';
  const own = databaseChecks.map((name) =>
    unchecked(name, 'the embedded Postgres is checked when a command starts it'),
  );
  return [isOwn ? good(variable, detail) : doubtful(variable, detail, next), ...own];
}
