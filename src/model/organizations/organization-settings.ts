/** The settings that an organization may have of its own, from variables or from its entry in ORGANIZATIONS_FILE. */
import type { z } from 'zod';
import { variables } from '../settings.ts';
import { namesIn, type PathVariable } from '../source-settings.ts';

/** Settings of one organization. Durations are in milliseconds where the name says so, else in days. */
export interface OrganizationSettings {
  /** The platform's application host; undefined: sources on it are not read. */
  readonly appUrl: URL | undefined;
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
  /** Directory in which hooks leave the ids of ended sessions; undefined: none. */
  readonly sessionSpoolDirectory: string | undefined;
}

/** The variables of these settings. A field of the file has the name of its variable in lower case. */
export const organizationVariables = variables.pick({
  APP_BASE_URL: true,
  READINESS_PATH: true,
  SOURCES: true,
  LOOKBACK_DAYS: true,
  WINDOW_DAYS: true,
  PAGE_SIZE: true,
  REQUESTS_PER_SECOND: true,
  MAX_CONCURRENCY: true,
  REQUEST_TIMEOUT_MS: true,
  MAX_RETRIES: true,
  SESSION_SPOOL_DIR: true,
});

/** Names the values of the variables as the program does; `named` are sources that the command line names. */
export function organizationSettings(
  values: z.output<typeof organizationVariables>,
  named: readonly string[],
): OrganizationSettings {
  return {
    appUrl: values.APP_BASE_URL,
    paths: values.READINESS_PATH === undefined ? {} : { READINESS_PATH: values.READINESS_PATH },
    requiredSources: [...namesIn(values.SOURCES), ...named],
    lookbackDays: values.LOOKBACK_DAYS,
    windowDays: values.WINDOW_DAYS,
    pageSize: values.PAGE_SIZE,
    requestsPerSecond: values.REQUESTS_PER_SECOND,
    maxConcurrency: values.MAX_CONCURRENCY,
    requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
    maxRetries: values.MAX_RETRIES,
    sessionSpoolDirectory: values.SESSION_SPOOL_DIR,
  };
}
