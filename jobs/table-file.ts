/** Reads the CSV files of `limits apply` and of the imports. */
import { codeOf } from '../src/model/error-code.ts';
import { byLine } from '../src/model/line-problems.ts';
import { readRegularFile } from '../src/model/regular-file.ts';

/** Most bytes of a file: much more than a line for each person of a large organization takes. */
const mostBytes = 64 * 1024 * 1024;

/**
 * Reads a file and parses it with `parse`. Adds the problems of reading and parsing to `problems`, each with the name of
 * the file. Returns undefined if the file cannot be read.
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
  if (codeOf(error) === 'ENOENT') return 'expected a file, but there is no file with this name';
  return codeOf(error) === undefined && error instanceof Error ? error.message : 'cannot be read';
}
