/** `nightly` and `backfill`: a run against the platform, watched and summed up. */

import { createPlatformClient } from '../extract/platform-client.ts';
import type { Config } from '../model/config.ts';
import type { Day } from '../model/day.ts';
import { ConfigurationError } from '../model/errors.ts';
import type { Door } from '../model/foreign-text.ts';
import type { RunReport } from '../model/run.ts';
import { appVersion, userAgent } from '../model/version.ts';
import type { Log } from '../reporting/log.ts';
import { createRunReporter } from '../reporting/run-reporter.ts';
import { organizationProbes } from '../sources/registry.ts';
import type { Ledger } from '../warehouse/ledger/slice-ledger.ts';
import type { Warehouse } from './open-warehouse.ts';
import type { PlannedRead } from './plan.ts';
import { runJob } from './run.ts';

/** What distinguishes one load job from another. */
export interface LoadJob {
  readonly name: 'nightly' | 'backfill';
  readonly arguments: Readonly<Record<string, unknown>>;
  /** The last day that the platform serves, or that the job takes as such. */
  readonly yesterday: Day;
  readonly plan: (ledger: Ledger, config: Config) => readonly PlannedRead[];
  readonly allowEmpty?: boolean;
}

/** Where and how a job runs. */
export interface JobSurroundings {
  readonly config: Config;
  readonly log: Log;
  /** What every text passes that is shown or recorded as an error. */
  readonly redact: Door;
  /** Whether standard error is a terminal. */
  readonly isTerminal: boolean;
  readonly abort: AbortController;
}

/** Runs a load job to its end on an open warehouse. Throws `ConfigurationError` when the platform is not configured. */
export async function runLoadJob(
  job: LoadJob,
  surroundings: JobSurroundings,
  warehouse: Warehouse,
): Promise<RunReport> {
  const { config, log, redact, isTerminal, abort } = surroundings;
  if (config.platform === undefined) throw new ConfigurationError(['API_BASE_URL, API_KEY: missing']);
  const client = createPlatformClient({
    ...config,
    ...config.platform,
    userAgent,
    signal: abort.signal,
    onRetry: (event) => reporter.onEvent(event),
  });
  const reporter = await createRunReporter(log, client.counts, isTerminal);
  try {
    return await runJob({
      job: job.name,
      arguments: job.arguments,
      config,
      appVersion,
      pool: warehouse.pool,
      lockTimeoutMs: config.lockTimeoutMs,
      client,
      probes: organizationProbes,
      yesterday: job.yesterday,
      plan: (ledger) => job.plan(ledger, config),
      allowEmpty: job.allowEmpty ?? false,
      onEvent: reporter.onEvent,
      redact,
      abort,
    });
  } finally {
    reporter.stop();
    await client.close();
  }
}
