/** A backfill within the test's own process: the program without its command line, in a hurry. */

import { createPlatformClient } from '../../src/extract/platform-client.ts';
import { type Config, parseConfig } from '../../src/model/config.ts';
import { day, yesterday } from '../../src/model/day.ts';
import type { OnRunEvent, RunReport } from '../../src/model/run.ts';
import { connectionsOfRun } from '../../src/pipeline/open-warehouse.ts';
import { planBackfill, planNightly } from '../../src/pipeline/plan.ts';
import { runLoad } from '../../src/pipeline/run.ts';
import { sources } from '../../src/sources/registry.ts';
import { openPool } from '../../src/warehouse/connection/connection.ts';

export interface InProcessBackfill {
  /** As for the program; `DATABASE_URL` included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly from: string;
  readonly to: string;
  readonly force?: boolean;
  /** Runs as `nightly` with `to` as yesterday. */
  readonly nightly?: boolean;
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
  const pool = openPool(databaseUrl, connectionsOfRun);
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
    const force = options.force ?? false;
    const range = { from: day(options.from), to: day(options.to) };
    return await runLoad(
      {
        name: 'backfill',
        arguments: {},
        yesterday: yesterday(Date.now),
        plan: (known) =>
          options.nightly === true
            ? planNightly(sources, range.to, known, config)
            : planBackfill(sources, range, known, { force, windowDays: config.windowDays }),
        asks: { sources, from: range.from },
        force,
      },
      { config, client, onEvent, redact: (text) => text, abort },
      pool,
    );
  } finally {
    await client.close();
    await pool.end();
  }
}
