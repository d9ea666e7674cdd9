/** Leaves out lines of a file that name a forgotten person: loading them would store the person again. */
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { Log } from '../../reporting/log.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readForgotten } from '../../warehouse/removal/forgotten-names.ts';

/** Returns the lines that name no forgotten person, the number of skipped lines, and the forgotten persons. */
export async function withoutForgotten<Line>(
  db: Database,
  lines: readonly Line[],
  nameOf: (line: Line) => string,
): Promise<{
  readonly lines: readonly Line[];
  readonly skipped: number;
  readonly persons: ForgottenPersons;
}> {
  const persons = new ForgottenPersons();
  await readForgotten(db, persons);
  const kept = lines.filter((line) => !persons.isForgotten(nameOf(line)));
  return { lines: kept, skipped: lines.length - kept.length, persons };
}

/** Warns about lines that were left out. It does not name the persons. */
export function warnOfSkipped(log: Pick<Log, 'warn'>, skipped: number): void {
  if (skipped > 0) log.warn({ lines: skipped }, 'lines that name a forgotten person were skipped');
}
