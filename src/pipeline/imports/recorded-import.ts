/** Does an import as a recorded run. An import writes all lines of a file, or none. */
import { ConfigurationError } from '../../model/errors.ts';
import { byLine } from '../../model/line-problems.ts';
import type { RowChanges } from '../../model/run.ts';
import type { RunReport } from '../../model/run-report.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { type OpenRun, withRun } from '../runs/with-run.ts';

/** An import to record. */
export interface Import {
  readonly job: string;
  /** The path of the file, as on the command line. */
  readonly file: string;
  /** The number of lines below the header. */
  readonly lines: number;
  /** Writes the content of the file. */
  readonly write: (run: OpenRun) => Promise<RowChanges>;
}

/** Runs an import. Throws and reports like `withRun`. */
export function recordImport(
  { job, file, lines, write }: Import,
  surroundings: JobSurroundings,
): Promise<RunReport> {
  return withRun(surroundings, { name: job, arguments: { file } }, async (run) => {
    const changes = await write(run);
    run.onEvent({ type: 'imported', rowsRead: lines, changes });
  });
}

/**
 * Throws `ConfigurationError` if there are problems: with all of them, sorted by line, each with the name of the file.
 */
export function refuseProblems(file: string, problems: readonly string[]): void {
  if (problems.length > 0)
    throw new ConfigurationError(byLine(problems).map((problem) => `${file}: ${problem}`));
}
