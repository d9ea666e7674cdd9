/** Lines of files that name somebody who is forgotten: they are left out, or the file would bring the person back. */
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { Log } from '../../reporting/log.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import { readForgotten } from '../../warehouse/removal/forgotten-names.ts';

/** The lines that name nobody who is forgotten, how many others there were, and who is forgotten. */
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

/** Warns of lines that were left out, without saying whom they name. */
export function warnOfSkipped(log: Pick<Log, 'warn'>, skipped: number): void {
  if (skipped > 0) log.warn({ lines: skipped }, 'lines that name a person who is forgotten were skipped');
}
