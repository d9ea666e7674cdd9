/** Settings from environment variables: parsed once, at the border, all problems reported together. */
import { z } from 'zod';
import { databaseUrlProblems } from './database-url.ts';
import { ConfigurationError } from './errors.ts';
import { type MessageAddresses, messageAddresses } from './message-addresses.ts';
import { problemsOfMixture } from './secret-places.ts';
import { givenSecret, type ReadSecretFile } from './secret-variable.ts';
import { decimal, httpUrl, isConfidential, oneOf, path, whole } from './setting-kinds.ts';
import { namesIn, type PathVariable, problemsOfSources, type SourceSettings } from './source-settings.ts';
import { ambiguityOfUrl } from './url-authority.ts';

const url = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

const platformUrl = z.string().transform((text, context) => {
  const parsed = url(text);
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (parsed === undefined) return fail('expected a URL such as https://api.example.com');
  if (parsed.username !== '' || parsed.password !== '')
    return fail('expected a URL without user name and password; put the credential into API_KEY');
  if (parsed.search !== '' || parsed.hash !== '') return fail('expected a URL without query and fragment');
  return isConfidential(parsed) ? parsed : fail('expected https, or http on loopback only');
});

const databaseUrl = z.string().superRefine((text, context) => {
  for (const message of databaseUrlProblems(text)) context.addIssue({ code: 'custom', message });
});

const mebibyte = 1024 * 1024;

const variables = z.object({
  API_BASE_URL: platformUrl.optional(),
  APP_BASE_URL: platformUrl.optional(),
  API_KEY: z.string().optional(),
  API_KEY_FILE: z.string().optional(),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_URL_FILE: z.string().optional(),
  DATA_DIR: z.string().optional(),
  LOOKBACK_DAYS: whole(0, 366).default(3),
  WINDOW_DAYS: whole(1, 366).default(7),
  PAGE_SIZE: whole(1, 100).default(100),
  REQUESTS_PER_SECOND: decimal(0.01, 10_000).default(10),
  MAX_CONCURRENCY: whole(1, 64).default(4),
  REQUEST_TIMEOUT_MS: whole(1, 3_600_000).default(30_000),
  MAX_RETRIES: whole(0, 100).default(6),
  MAX_RESPONSE_BYTES: whole(1, 512 * mebibyte).default(64 * mebibyte),
  MAX_SLICE_BYTES: whole(1, 1024 * 1024 * mebibyte).default(4096 * mebibyte),
  MAX_REJECTED_SHARE: decimal(0, 1).default(0.2),
  MAX_DELETED_SHARE: decimal(0, 1).default(0.5),
  RAW_RETENTION_DAYS: whole(0, 36_500).default(400),
  RUN_RETENTION_DAYS: whole(0, 36_500).default(400),
  REJECTED_RETENTION_DAYS: whole(0, 36_500).default(400),
  READINESS_PATH: path.optional(),
  SOURCES: z.string().default(''),
  USER_EMAIL: z.enum(['keep', 'none']).default('keep'),
  SESSION_TEXT: oneOf('none', 'keep').default('none'),
  SESSION_SPOOL_DIR: z.string().optional(),
  LOCK_TIMEOUT_MS: whole(1, 3_600_000).default(30_000),
  STATEMENT_TIMEOUT_MS: whole(1, 86_400_000).default(600_000),
  CHUNK_BYTES: whole(1, 64 * mebibyte).default(4 * mebibyte),
  MEMORY_BYTES: whole(0, 1024 * mebibyte).default(16 * mebibyte),
  LIST_ROWS: whole(1, 10_000_000).default(50_000),
  CRON_SCHEDULE: z.string().default('15 2 * * *'),
  METRICS_PORT: whole(0, 65_535).optional(),
  METRICS_HOST: z.string().trim().default('127.0.0.1'),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().trim().default('usage-etl'),
  NIGHT_RETRY_MINUTES: decimal(0.01, 1440).default(30),
  STATUS_GRACE_HOURS: decimal(0, 48).default(6),
  NOTIFY_WEBHOOK_URL: z.string().optional(),
  NOTIFY_WEBHOOK_URL_FILE: z.string().optional(),
  HEARTBEAT_URL: z.string().optional(),
  HEARTBEAT_URL_FILE: z.string().optional(),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  LOG_FORMAT: oneOf('auto', 'pretty', 'json').default('auto'),
});

/** How to reach the platform. */
export interface PlatformSettings {
  readonly baseUrl: URL;
  readonly apiKey: string;
}

/** All settings, typed. Durations are in milliseconds where the name says so, else in days. */
export interface Config {
  /** Undefined for commands that do not talk to the platform. */
  readonly platform: PlatformSettings | undefined;
  /** The platform's application host; undefined: sources on it are not read. */
  readonly appUrl: URL | undefined;
  /** Undefined: the embedded Postgres. */
  readonly databaseUrl: string | undefined;
  /** Paths that differ from the documented ones. */
  readonly paths: Readonly<Partial<Record<PathVariable, string>>>;
  /** Names of the sources that must work, from `SOURCES` and the command line. */
  readonly requiredSources: readonly string[];
  readonly lookbackDays: number;
  readonly windowDays: number;
  readonly pageSize: number;
  readonly requestsPerSecond: number;
  readonly maxConcurrency: number;
  readonly requestTimeoutMs: number;
  readonly maxRetries: number;
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
  /** Directory in which hooks leave the ids of ended sessions; undefined: none. */
  readonly sessionSpoolDirectory: string | undefined;
  /** Longest wait for a lock in the database. */
  readonly lockTimeoutMs: number;
  /** Time limit of one statement. */
  readonly statementTimeoutMs: number;
  /** Bytes of records compressed, flattened and written at a time. */
  readonly chunkBytes: number;
  /** Bytes of received records that a run holds in memory before it spills them to a file. */
  readonly memoryBytes: number;
  /** Rows per transaction; the next slice then begins a new one. */
  readonly listRows: number;
  /** Directory of the embedded Postgres and of temporary files; undefined: the one for this installation. */
  readonly dataDirectory: string | undefined;
  readonly cronSchedule: string;
  /** Port of health, readiness and metrics, 0 for any free one; undefined: they are not served. */
  readonly metricsPort: number | undefined;
  readonly metricsHost: string;
  /** Address of an OTLP collector; undefined: nothing is traced. */
  readonly tracesUrl: URL | undefined;
  /** Name of this program in traces. */
  readonly serviceName: string;
  /** Minutes between a try of a night that was not good and the next one. */
  readonly nightRetryMinutes: number;
  /** For so many hours after 00:00 UTC, missing data of yesterday is no failure. */
  readonly statusGraceHours: number;
  /** Receivers of messages about nights. */
  readonly messages: MessageAddresses;
  readonly logLevel: z.infer<typeof variables>['LOG_LEVEL'];
  readonly logFormat: z.infer<typeof variables>['LOG_FORMAT'];
}

/** Options of `parseConfig`. */
export interface ConfigOptions {
  /** Whether the command talks to the platform. */
  readonly needsPlatform: boolean;
  readonly readSecretFile: ReadSecretFile;
  /** All known sources. */
  readonly sources?: readonly SourceSettings[];
  /** Sources that the command line names. */
  readonly named?: readonly string[];
  /** Problems of the command line. */
  readonly problems?: readonly string[];
  /** The variables that come from `.env`; all others come from the environment. */
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
  const problems = [...foundBefore];
  if (needsPlatform && given.API_BASE_URL === undefined)
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
  const apiKey = readApiKey(given, readSecretFile, problems, needsPlatform);
  const messages = messageAddresses(given, readSecretFile, problems);
  problems.push(...problemsOfSources(given, sources, named, needsPlatform));
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);
  const values = parsed.data;
  return {
    platform:
      values.API_BASE_URL === undefined || apiKey === undefined
        ? undefined
        : { baseUrl: values.API_BASE_URL, apiKey },
    appUrl: values.APP_BASE_URL,
    databaseUrl: values.DATABASE_URL,
    paths: values.READINESS_PATH === undefined ? {} : { READINESS_PATH: values.READINESS_PATH },
    requiredSources: [...namesIn(values.SOURCES), ...named],
    lookbackDays: values.LOOKBACK_DAYS,
    windowDays: values.WINDOW_DAYS,
    pageSize: values.PAGE_SIZE,
    requestsPerSecond: values.REQUESTS_PER_SECOND,
    maxConcurrency: values.MAX_CONCURRENCY,
    requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
    maxRetries: values.MAX_RETRIES,
    maxResponseBytes: values.MAX_RESPONSE_BYTES,
    maxSliceBytes: values.MAX_SLICE_BYTES,
    maxRejectedShare: values.MAX_REJECTED_SHARE,
    maxDeletedShare: values.MAX_DELETED_SHARE,
    rawRetentionDays: values.RAW_RETENTION_DAYS,
    runRetentionDays: values.RUN_RETENTION_DAYS,
    rejectedRetentionDays: values.REJECTED_RETENTION_DAYS,
    withholdsEmails: values.USER_EMAIL === 'none',
    withholdsTexts: values.SESSION_TEXT === 'none',
    sessionSpoolDirectory: values.SESSION_SPOOL_DIR,
    lockTimeoutMs: values.LOCK_TIMEOUT_MS,
    statementTimeoutMs: values.STATEMENT_TIMEOUT_MS,
    chunkBytes: values.CHUNK_BYTES,
    memoryBytes: values.MEMORY_BYTES,
    listRows: values.LIST_ROWS,
    dataDirectory: values.DATA_DIR,
    cronSchedule: values.CRON_SCHEDULE,
    metricsPort: values.METRICS_PORT,
    metricsHost: values.METRICS_HOST,
    tracesUrl: values.OTEL_EXPORTER_OTLP_ENDPOINT,
    serviceName: values.OTEL_SERVICE_NAME,
    nightRetryMinutes: values.NIGHT_RETRY_MINUTES,
    statusGraceHours: values.STATUS_GRACE_HOURS,
    messages,
    logLevel: values.LOG_LEVEL,
    logFormat: values.LOG_FORMAT,
  };
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
): string | undefined {
  if (needsPlatform && given.API_KEY === undefined && given.API_KEY_FILE === undefined)
    problems.push('API_KEY: missing; set it, or API_KEY_FILE to a file that holds the key');
  const key = givenSecret('API_KEY', given, readSecretFile, problems);
  // The key is sent in a header, so it must be printable ASCII.
  if (key === undefined || /^[\x21-\x7e]+$/.test(key.text)) return key?.text;
  problems.push(`${key.variable}: expected a key of printable characters without spaces`);
  return undefined;
}
