/** The environment variables of the settings: types, bounds and defaults. */
import { z } from 'zod';
import { databaseUrlProblems } from './database-url.ts';
import { decimal, httpUrl, isConfidential, oneOf, path, whole } from './setting-kinds.ts';

export const url = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** The address of a platform: https, or http on this machine. */
export const platformUrl = z.string().transform((text, context) => {
  const parsed = url(text);
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (parsed === undefined) return fail('expected a URL such as https://api.example.com');
  if (parsed.username !== '' || parsed.password !== '')
    return fail(
      'expected a URL without user name and password; the credential does not stand in the address',
    );
  if (parsed.search !== '' || parsed.hash !== '') return fail('expected a URL without query and fragment');
  return isConfidential(parsed) ? parsed : fail('expected https, or http on loopback only');
});

const databaseUrl = z.string().superRefine((text, context) => {
  for (const message of databaseUrlProblems(text)) context.addIssue({ code: 'custom', message });
});

const mebibyte = 1024 * 1024;

export const variables = z.object({
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
  METRICS_ORGANIZATIONS: whole(0, 100_000).default(100),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().trim().default('usage-etl'),
  NIGHT_RETRY_MINUTES: decimal(0.01, 1440).default(30),
  STATUS_GRACE_HOURS: decimal(0, 48).default(6),
  NOTIFY_WEBHOOK_URL: z.string().optional(),
  NOTIFY_WEBHOOK_URL_FILE: z.string().optional(),
  HEARTBEAT_URL: z.string().optional(),
  HEARTBEAT_URL_FILE: z.string().optional(),
  ORGANIZATIONS_FILE: z.string().optional(),
  ORGANIZATIONS_AT_ONCE: whole(1, 64).default(4),
  MAX_DATABASE_CONNECTIONS: whole(10, 1_000).default(30),
  WORKER_CONCURRENCY: whole(1, 64).default(4),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
  LOG_FORMAT: oneOf('auto', 'pretty', 'json').default('auto'),
});
