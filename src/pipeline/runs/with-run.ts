/**
 * Every run goes through this: it opens warehouse, ledger, locks and client, does the work of a command, and closes
 * them.
 */
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
import type { SharedByRuns } from './shared-by-runs.ts';
import { withPlatform } from './with-platform.ts';
import { withWarehouse } from './with-warehouse.ts';

/** An open run. */
export interface OpenRun extends OpenLedgerRun, Pick<JobSurroundings, 'config' | 'clock' | 'log'> {
  readonly shared: SharedByRuns | undefined;
  readonly pool: pg.Pool;
  /** It starts with all persons whom the warehouse records as forgotten. */
  readonly persons: ForgottenPersons;
  /** Sanitizes every text that is shown or recorded as an error, and removes the names of forgotten persons. */
  readonly redact: Sanitizer;
  /** Aborts when the run must end. */
  readonly signal: AbortSignal;
  /** Ends the run early, because its other work could not succeed either. The first error is the reason. */
  readonly stop: (error: unknown) => void;
}

/** A run that asks the platform. */
export interface PlatformRun extends OpenRun {
  readonly client: PlatformClient;
}

/**
 * Does `work` as a recorded run on the warehouse of the settings, or on the one that is open already. It counts slices
 * that fail; the next run tries them again. An error that stops the run early (refused credentials, a lock that is held,
 * a signal, a lost database) is in `stoppedBy` of the report. Throws only if the run could not be opened.
 */
export function withRun(
  surroundings: JobSurroundings,
  job: RunJob,
  work: (run: OpenRun) => Promise<void>,
): Promise<RunReport> {
  return runWith(surroundings, job, { sent: 0, retried: 0 }, work);
}

/** The same for work that asks the platform with the credential of the settings. */
export function withPlatformRun(
  surroundings: JobSurroundings,
  job: RunJob,
  work: (run: PlatformRun) => Promise<void>,
): Promise<RunReport> {
  const counts = { sent: 0, retried: 0 };
  return runWith(surroundings, job, counts, (run, open) => {
    const { persons, onEvent } = run;
    return withPlatform(open, { persons, counts, onEvent }, (client) => work({ ...run, client }));
  });
}

async function runWith(
  surroundings: JobSurroundings,
  job: RunJob,
  counts: RequestCounts,
  work: (run: OpenRun, open: JobSurroundings) => Promise<void>,
): Promise<RunReport> {
  return withWarehouse(surroundings, 'writes', async (open) => {
    const { config, clock, log, isTerminal, abort, observers, warehouse, shared } = open;
    const { signal } = abort;
    const { pool } = warehouse;
    const persons = new ForgottenPersons();
    const redact = persons.behind(open.redact);
    const stop = (error: unknown) => {
      if (!signal.aborted) abort.abort(error);
    };
    const showsBar = isTerminal && job.showsBar === true;
    const reporter = createRunReporter(log, { counts, showsBar, observers, signal });
    try {
      return await recordInLedger(
        open,
        { job, counts, onEvent: reporter.onEvent, redact },
        async (opened) => {
          // Read this first: the text of a later error may name a forgotten person.
          await opened.control.use(({ db }) => readForgotten(db, persons));
          await work({ ...opened, config, clock, log, pool, persons, redact, signal, stop, shared }, open);
        },
      );
    } finally {
      reporter.stop();
    }
  });
}
