/** The CSV files of `limits apply` and the imports. */
import { codeOf } from '../src/model/error-code.ts';
import { byLine } from '../src/model/line-problems.ts';
import { readRegularFile } from '../src/model/regular-file.ts';

/** Far more than a line for each person of the largest organization. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Reads a file that stands on the command line, and gives what `parse` makes of it. What either finds wrong is told in
 * `problems`, each with the name of the file.
 */
export function readTableFile<Rows>(
  path: string,
  parse: (bytes: Buffer, problems: string[]) => Rows,
  problems: string[],
): Rows | undefined {
  const found: string[] = [];
  try {
    return parse(readRegularFile(path, mostBytes), found);
  } catch (error) {
    found.push(reasonOf(error));
    return undefined;
  } finally {
    problems.push(...byLine(found).map((problem) => `${path}: ${problem}`));
  }
}

function reasonOf(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return 'expected a file, but there is none of this name';
  return codeOf(error) === undefined && error instanceof Error ? error.message : 'cannot be read';
}
