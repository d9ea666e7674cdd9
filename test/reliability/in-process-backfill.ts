/** A backfill within the test's own process: the program without its command line, in a hurry. */

import { createPlatformClient } from '../../src/extract/platform-client.ts';
import { type Config, parseConfig } from '../../src/model/config.ts';
import { day, yesterday } from '../../src/model/day.ts';
import type { OnRunEvent, RunReport } from '../../src/model/run.ts';
import { planBackfill } from '../../src/pipeline/plan.ts';
import { runJob } from '../../src/pipeline/run.ts';
import { organizationProbes, sources } from '../../src/sources/registry.ts';
import { openPool } from '../../src/warehouse/connection/connection.ts';

export interface InProcessBackfill {
  /** As for the program; `DATABASE_URL` included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly from: string;
  readonly to: string;
  readonly force?: boolean;
  readonly onEvent?: OnRunEvent;
  readonly config?: Partial<Config>;
}

/** Waits between retries are a thousandth of the real ones. */
const backoffScale = 0.001;

/** Runs a backfill; rejects only when the run could not be opened. */
export async function backfillInProcess(options: InProcessBackfill): Promise<RunReport> {
  const readSecretFile = () => '';
  const parsed = parseConfig(options.environment, { needsPlatform: true, readSecretFile });
  const config = { ...parsed, ...options.config };
  const { platform, databaseUrl } = config;
  if (platform === undefined || databaseUrl === undefined)
    throw new TypeError('expected a platform and a database');
  const abort = new AbortController();
  const pool = openPool(databaseUrl, config.maxConcurrency + 1 + sources.length);
  const onEvent = options.onEvent ?? (() => undefined);
  const client = createPlatformClient({
    ...config,
    ...platform,
    userAgent: 'usage-etl/test',
    signal: abort.signal,
    backoffScale,
    onRetry: onEvent,
  });
  try {
    return await runJob({
      job: 'backfill',
      arguments: {},
      config,
      appVersion: 'test',
      pool,
      lockTimeoutMs: config.lockTimeoutMs,
      client,
      probes: organizationProbes,
      yesterday: yesterday(Date.now),
      plan: (ledger) =>
        planBackfill(sources, { from: day(options.from), to: day(options.to) }, ledger, {
          force: options.force ?? false,
          windowDays: config.windowDays,
        }),
      allowEmpty: false,
      onEvent,
      redact: (text) => text,
      abort,
    });
  } finally {
    await client.close();
    await pool.end();
  }
}
