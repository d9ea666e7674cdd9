/** Settings from environment variables: parsed once, before anything else, and all problems reported together. */
import type { z } from 'zod';
import { ConfigurationError } from './errors.ts';
import { type MessageAddresses, messageAddresses } from './message-addresses.ts';
import type { OrganizationEntry } from './organizations/organization-entry.ts';
import { type OrganizationSettings, organizationSettings } from './organizations/organization-settings.ts';
import { problemsOfMixture } from './secret-places.ts';
import { givenSecret, type ReadSecretFile } from './secret-variable.ts';
import { url, variables } from './settings.ts';
import { problemsOfSources, type SourceSettings } from './source-settings.ts';
import { ambiguityOfUrl } from './url-authority.ts';

/** Address and credential of the platform. */
export interface PlatformSettings {
  readonly baseUrl: URL;
  readonly apiKey: string;
  /** The setting that has the key, for messages: `API_KEY`, or `API_KEY_FILE` with the path of the file. */
  readonly apiKeyPlace?: string;
}

/** All settings, typed. Durations are in milliseconds where the name says so, else in days. */
export interface Config extends OrganizationSettings {
  /** Undefined for commands that do not talk to the platform. */
  readonly platform: PlatformSettings | undefined;
  /** The organizations of ORGANIZATIONS_FILE that the command works on; undefined without the file. */
  readonly organizations: readonly OrganizationEntry[] | undefined;
  /** The organization of the file that these settings are for; undefined without the file, or for several. */
  readonly organization: Pick<OrganizationEntry, 'name' | 'orgId'> | undefined;
  /** Organizations that work at the same time. */
  readonly organizationsAtOnce: number;
  /** Most connections to the database of a process that works on several organizations. */
  readonly maxDatabaseConnections: number;
  /** Jobs of the queue that a worker does at the same time. */
  readonly workerConcurrency: number;
  /** Undefined: the embedded Postgres. */
  readonly databaseUrl: string | undefined;
  readonly maxResponseBytes: number;
  /** Limit for the bytes of all answers of one slice. */
  readonly maxSliceBytes: number;
  readonly maxRejectedShare: number;
  /** Share of a slice's rows, per table, that an answer may delete: 0 to 1. */
  readonly maxDeletedShare: number;
  /** 0: no raw archive. */
  readonly rawRetentionDays: number;
  readonly runRetentionDays: number;
  readonly rejectedRetentionDays: number;
  /** Whether no e-mail address may be stored. */
  readonly withholdsEmails: boolean;
  /** Whether no text of a session may be stored. */
  readonly withholdsTexts: boolean;
  /** Longest wait for a lock in the database. */
  readonly lockTimeoutMs: number;
  /** Time limit of one statement. */
  readonly statementTimeoutMs: number;
  /** Bytes of records compressed, flattened and written at a time. */
  readonly chunkBytes: number;
  /** Bytes of received records that a run holds in memory before it spills them to a file. */
  readonly memoryBytes: number;
  /** A transaction with so many rows takes no further slice. */
  readonly listRows: number;
  /** Directory of the embedded Postgres and of temporary files; undefined: the default directory of this installation. */
  readonly dataDirectory: string | undefined;
  readonly cronSchedule: string;
  /** Port of health, readiness and metrics, 0 for any free one; undefined: they are not served. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  /** With more organizations, counters have no label `organization`, and gauges tell of so many, the stalest first. */
  readonly metricsOrganizations: number;
  /** Address of an OTLP collector; undefined: nothing is traced. */
  readonly tracesUrl: URL | undefined;
  /** Name of this program in traces. */
  readonly serviceName: string;
  /** Minutes from a failed try of a night to the next try. */
  readonly nightRetryMinutes: number;
  /** So many hours after 00:00 UTC, missing data of yesterday becomes a failure. */
  readonly statusGraceHours: number;
  /** Receivers of messages about nights. */
  readonly messages: MessageAddresses;
  readonly logLevel: z.infer<typeof variables>['LOG_LEVEL'];
  readonly logFormat: z.infer<typeof variables>['LOG_FORMAT'];
}

/** Options of `parseConfig`. */
export interface ConfigOptions {
  /** Whether the command sends requests to the platform. */
  readonly needsPlatform: boolean;
  readonly readSecretFile: ReadSecretFile;
  /** All known sources. */
  readonly sources?: readonly SourceSettings[];
  /** Sources that the command line names. */
  readonly named?: readonly string[];
  /** Problems of the command line. */
  readonly problems?: readonly string[];
  /** Names of the variables that come from `.env`; all others come from the environment. */
  readonly ofFile?: ReadonlySet<string>;
}

/**
 * Reads the configuration from `environment`; an empty variable counts as absent. Throws `ConfigurationError` with all
 * problems of the command line and the settings, never with a secret's value.
 */
export function parseConfig(
  environment: Readonly<Record<string, string | undefined>>,
  {
    needsPlatform,
    readSecretFile,
    sources = [],
    named = [],
    problems: foundBefore = [],
    ofFile = new Set(),
  }: ConfigOptions,
): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim() !== ''));
  const problems = [...foundBefore, ...problemsBesideFile(given)];
  // The organizations of the file have addresses and keys of their own.
  const needsOwnPlatform = needsPlatform && given.ORGANIZATIONS_FILE === undefined;
  if (needsOwnPlatform && given.API_BASE_URL === undefined)
    problems.push(
      'API_BASE_URL: missing; set it to the address of the platform, such as https://api.example.com',
    );
  problems.push(...problemsOfNode(given, needsPlatform));
  const database = givenSecret('DATABASE_URL', given, readSecretFile, problems);
  problems.push(...problemsOfMixture(given, database, ofFile));
  const parsed = variables.safeParse({ ...given, DATABASE_URL: database?.text });
  for (const { path, message } of parsed.error?.issues ?? []) {
    const variable = path.join('.');
    problems.push(`${variable === 'DATABASE_URL' ? database?.variable : variable}: ${message}`);
  }
  const apiKey =
    given.ORGANIZATIONS_FILE === undefined
      ? readApiKey(given, readSecretFile, problems, needsPlatform)
      : undefined;
  const messages = messageAddresses(given, readSecretFile, problems);
  for (const { variable, message } of problemsOfSources(given, sources, named, needsOwnPlatform))
    problems.push(`${variable}: ${message}`);
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  const values = parsed.data;
  return {
    platform:
      values.API_BASE_URL === undefined || apiKey === undefined
        ? undefined
        : { baseUrl: values.API_BASE_URL, ...apiKey },
    ...organizationSettings(values, named),
    databaseUrl: values.DATABASE_URL,
    organizations: undefined,
    organization: undefined,
    organizationsAtOnce: values.ORGANIZATIONS_AT_ONCE,
    maxDatabaseConnections: values.MAX_DATABASE_CONNECTIONS,
    workerConcurrency: values.WORKER_CONCURRENCY,
    maxResponseBytes: values.MAX_RESPONSE_BYTES,
    maxSliceBytes: values.MAX_SLICE_BYTES,
    maxRejectedShare: values.MAX_REJECTED_SHARE,
    maxDeletedShare: values.MAX_DELETED_SHARE,
    rawRetentionDays: values.RAW_RETENTION_DAYS,
    runRetentionDays: values.RUN_RETENTION_DAYS,
    rejectedRetentionDays: values.REJECTED_RETENTION_DAYS,
    withholdsEmails: values.USER_EMAIL === 'none',
    withholdsTexts: values.SESSION_TEXT === 'none',
    lockTimeoutMs: values.LOCK_TIMEOUT_MS,
    statementTimeoutMs: values.STATEMENT_TIMEOUT_MS,
    chunkBytes: values.CHUNK_BYTES,
    memoryBytes: values.MEMORY_BYTES,
    listRows: values.LIST_ROWS,
    dataDirectory: values.DATA_DIR,
    cronSchedule: values.CRON_SCHEDULE,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    metricsOrganizations: values.METRICS_ORGANIZATIONS,
    tracesUrl: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    serviceName: values.OTEL_SERVICE_NAME,
    nightRetryMinutes: values.NIGHT_RETRY_MINUTES,
    statusGraceHours: values.STATUS_GRACE_HOURS,
    messages,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
  };
}

/** Problems of variables that each organization of ORGANIZATIONS_FILE has for itself. */
function problemsBesideFile(given: Readonly<Record<string, string | undefined>>): string[] {
  if (given.ORGANIZATIONS_FILE === undefined) return [];
  return ['API_BASE_URL', 'API_KEY', 'API_KEY_FILE', 'SESSION_SPOOL_DIR']
    .filter((name) => given[name] !== undefined)
    .map(
      (name) =>
        `${name}: cannot be set beside ORGANIZATIONS_FILE, where each organization has its own; remove one of the two`,
    );
}

/** Problems of variables that Node and its HTTP client read. */
function problemsOfNode(
  given: Readonly<Record<string, string | undefined>>,
  needsPlatform: boolean,
): string[] {
  const problems: string[] = [];
  if (given.NODE_TLS_REJECT_UNAUTHORIZED?.trim() === '0')
    problems.push(
      'NODE_TLS_REJECT_UNAUTHORIZED: 0 switches the check of certificates off; remove it, and name your own certificate authority in NODE_EXTRA_CA_CERTS',
    );
  for (const name of needsPlatform ? ['HTTPS_PROXY', 'https_proxy'] : []) {
    const proxy = given[name];
    // The message leaves out the value: it may hold a password.
    if (proxy === undefined) continue;
    const ambiguity = ambiguityOfUrl(proxy);
    if (ambiguity !== undefined) problems.push(`${name}: ${ambiguity}`);
    else if (!['http:', 'https:'].includes(url(proxy)?.protocol ?? ''))
      problems.push(`${name}: expected a URL such as http://proxy.example.com:3128`);
  }
  return problems;
}

function readApiKey(
  given: Readonly<Record<string, string | undefined>>,
  readSecretFile: ReadSecretFile,
  problems: string[],
  needsPlatform: boolean,
): Pick<PlatformSettings, 'apiKey' | 'apiKeyPlace'> | undefined {
  if (needsPlatform && given.API_KEY === undefined && given.API_KEY_FILE === undefined)
    problems.push('API_KEY: missing; set it, or API_KEY_FILE to a file that holds the key');
  const key = givenSecret('API_KEY', given, readSecretFile, problems);
  if (key === undefined) return undefined;
  const { variable, text } = key;
  // The file was read, so `API_KEY_FILE` is a path and not the secret itself: a message may show it.
  const apiKeyPlace = variable === 'API_KEY' ? variable : `${variable} (${given.API_KEY_FILE})`;
  // The key is sent in a header, so it must be printable ASCII.
  if (/^[\x21-\x7e]+$/.test(text)) return { apiKey: text, apiKeyPlace };
  problems.push(`${key.variable}: expected a key of printable characters without spaces`);
  return undefined;
}
