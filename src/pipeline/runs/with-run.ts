/** The frame of every run: warehouse, ledger, locks, platform, whoever watches, and the end. A command brings its work. */
import type pg from 'pg';
import type { PlatformClient } from '../../extract/platform-client.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { RequestCounts } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { createRunReporter } from '../../reporting/run-reporter.ts';
import { readForgotten } from '../../warehouse/removal/forgotten-names.ts';
import type { JobSurroundings } from './job-surroundings.ts';
import { type OpenLedgerRun, recordInLedger } from './recorded-run.ts';
import type { RunJob } from './run-job.ts';
import { withPlatform } from './with-platform.ts';
import { withWarehouse } from './with-warehouse.ts';

/** A run under way: what its work needs. */
export interface OpenRun extends OpenLedgerRun, Pick<JobSurroundings, 'config' | 'clock' | 'log'> {
  readonly pool: pg.Pool;
  /** Those whom the warehouse knows are known. */
  readonly persons: ForgottenPersons;
  /** What every text passes that is shown or recorded as an error: it names no forgotten person. */
  readonly redact: Sanitizer;
  /** Aborts when the run must end. */
  readonly signal: AbortSignal;
  /** Ends the run early: what else is under way must not go on with what cannot succeed. The first error is the reason. */
  readonly stop: (error: unknown) => void;
}

/** A run that asks the platform. */
export interface PlatformRun extends OpenRun {
  readonly client: PlatformClient;
}

/**
 * Does `work` as a recorded run on the warehouse that the settings name, or on the one that is open already. Slices that
 * fail are counted and left to the next run. What stops a run early (refused credentials, a lock that is held, a signal,
 * a lost database) is not thrown: the report says so. Throws only when the run could not even be opened.
 */
export function withRun(
  surroundings: JobSurroundings,
  job: RunJob,
  work: (run: OpenRun) => Promise<void>,
): Promise<RunReport> {
  return framed(surroundings, job, { sent: 0, retried: 0 }, work);
}

/** The same for work that asks the platform with the credential of the settings. */
export function withPlatformRun(
  surroundings: JobSurroundings,
  job: RunJob,
  work: (run: PlatformRun) => Promise<void>,
): Promise<RunReport> {
  const counts = { sent: 0, retried: 0 };
  return framed(surroundings, job, counts, (run, open) => {
    const { persons, onEvent } = run;
    return withPlatform(open, { persons, counts, onEvent }, (client) => work({ ...run, client }));
  });
}

async function framed(
  surroundings: JobSurroundings,
  job: RunJob,
  counts: RequestCounts,
  work: (run: OpenRun, open: JobSurroundings) => Promise<void>,
): Promise<RunReport> {
  return withWarehouse(surroundings, 'writes', async (open) => {
    const { config, clock, log, isTerminal, abort, observers, warehouse } = open;
    const { signal } = abort;
    const { pool } = warehouse;
    const persons = new ForgottenPersons();
    const redact = persons.behind(open.redact);
    const stop = (error: unknown) => {
      if (!signal.aborted) abort.abort(error);
    };
    const bar = isTerminal && job.showsBar === true;
    const reporter = await createRunReporter(log, counts, bar, observers);
    try {
      return await recordInLedger(
        open,
        { job, counts, onEvent: reporter.onEvent, redact },
        async (opened) => {
          // Before anything else is done: what goes wrong may name somebody.
          await opened.control.use(({ db }) => readForgotten(db, persons));
          await work({ ...opened, config, clock, log, pool, persons, redact, signal, stop }, open);
        },
      );
    } finally {
      reporter.stop();
    }
  });
}
