/** A backfill within the test's own process: the program without its command line, in a hurry. */

import { type Config, parseConfig } from '../../src/model/config.ts';
import { day, yesterday } from '../../src/model/day.ts';
import type { RunReport } from '../../src/model/run-report.ts';
import { createSanitizer } from '../../src/model/sanitize.ts';
import type { Timing } from '../../src/model/timing.ts';
import { runLoadJob } from '../../src/pipeline/loading/load-slices.ts';
import { planBackfill, planNightly } from '../../src/pipeline/plan/plan.ts';
import { connectionsOfRun } from '../../src/pipeline/runs/connections-of-run.ts';
import { openLog } from '../../src/reporting/log.ts';
import { dailySources as sources } from '../../src/sources/registry.ts';
import { openPool } from '../../src/warehouse/connection/connection.ts';
import { quickTiming } from '../support/timing.ts';

export interface InProcessBackfill {
  /** As for the program; `DATABASE_URL` included. */
  readonly environment: Readonly<Record<string, string>>;
  readonly from: string;
  readonly to: string;
  readonly force?: boolean;
  /** Runs as `nightly` with `to` as yesterday. */
  readonly nightly?: boolean;
  readonly config?: Partial<Config>;
  /** Default: quick, and as patient as the program. */
  readonly timing?: Timing;
}

/** Runs a backfill; rejects only when the run could not be opened. */
export async function backfillInProcess(options: InProcessBackfill): Promise<RunReport> {
  const readSecretFile = () => '';
  const parsed = parseConfig(options.environment, { needsPlatform: true, readSecretFile });
  const config = { ...parsed, ...options.config };
  const { databaseUrl, windowDays } = config;
  if (databaseUrl === undefined) throw new TypeError('expected a database');
  const { force = false, timing = quickTiming } = options;
  const range = { from: day(options.from), to: day(options.to) };
  const redact = createSanitizer([]);
  const log = await openLog({ level: 'silent', format: 'json', redact, isTerminal: false, colors: false });
  const abort = new AbortController();
  const pool = openPool(databaseUrl, connectionsOfRun, { limits: config, signal: abort.signal, timing });
  try {
    return await runLoadJob(
      {
        name: 'backfill',
        arguments: {},
        yesterday: yesterday(Date.now),
        plan: (known, plan) =>
          options.nightly === true
            ? planNightly(sources, range.to, known, plan)
            : planBackfill(sources, range, known, { ...plan, force, windowDays }),
        sources,
        asksFrom: range.from,
        force,
      },
      {
        config,
        clock: Date.now,
        log,
        redact,
        isTerminal: false,
        abort,
        timing,
        warehouse: { pool, url: databaseUrl, isEmbedded: false, close: () => pool.end() },
      },
    );
  } finally {
    await pool.end();
  }
}
