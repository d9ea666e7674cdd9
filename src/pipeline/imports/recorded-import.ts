/** An import as a recorded run: it changes all that a file says, or nothing. */
import { ConfigurationError } from '../../model/errors.ts';
import { byLine } from '../../model/line-problems.ts';
import type { RowChanges } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { type OpenRun, withRun } from '../runs/with-run.ts';

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

/** Runs an import; see `withRun` for what it throws and reports. */
export function recordImport(
  { job, file, lines, write }: Import,
  surroundings: JobSurroundings,
): Promise<RunReport> {
  return withRun(surroundings, { name: job, arguments: { file } }, async (run) => {
    const changes = await write(run);
    run.onEvent({ type: 'imported', rowsRead: lines, changes });
  });
}

/** Throws `ConfigurationError` with every problem of a file, line by line, each with its name; with none, nothing happens. */
export function refuseProblems(file: string, problems: readonly string[]): void {
  if (problems.length > 0)
    throw new ConfigurationError(byLine(problems).map((problem) => `${file}: ${problem}`));
}
