/** An import as a recorded run: it changes all that a file says, or nothing. */
import { ConfigurationError } from '../../model/errors.ts';
import { byLine } from '../../model/line-problems.ts';
import type { RowChanges } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import { appVersion } from '../../model/version.ts';
import { createRunReporter } from '../../reporting/run-reporter.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import type { Warehouse } from '../runs/open-warehouse.ts';
import { type OpenRun, recordRun } from '../runs/recorded-run.ts';

/** What an import is of. */
export interface Import {
  readonly job: string;
  /** As it stands on the command line. */
  readonly file: string;
  /** Lines below the header. */
  readonly lines: number;
  /** Writes what the file says. */
  readonly write: (run: OpenRun) => Promise<RowChanges>;
}

/** Runs an import; see `recordRun` for what it throws and reports. */
export async function recordImport(
  { job, file, lines, write }: Import,
  { config, clock, log, redact, isTerminal, abort, observers }: JobSurroundings,
  { pool }: Warehouse,
): Promise<RunReport> {
  const counts = { sent: 0, retried: 0 };
  const reporter = await createRunReporter(log, counts, isTerminal, observers);
  try {
    return await recordRun(
      {
        job,
        arguments: { file },
        appVersion,
        pool,
        clock,
        counts,
        lockTimeoutMs: config.lockTimeoutMs,
        onEvent: reporter.onEvent,
        redact,
        abort,
      },
      async (run) => {
        const changes = await write(run);
        run.report({ type: 'imported', rowsRead: lines, changes });
      },
    );
  } finally {
    reporter.stop();
  }
}

/** Throws `ConfigurationError` with every problem of a file, line by line, each with its name; with none, nothing happens. */
export function refuseProblems(file: string, problems: readonly string[]): void {
  if (problems.length > 0)
    throw new ConfigurationError(byLine(problems).map((problem) => `${file}: ${problem}`));
}
