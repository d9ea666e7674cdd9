/** Reads the files in `sql/` that `migrate` applies, with checksums that show changes. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An SQL file. */
export interface SqlText {
  /** File name without `.sql`. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text; CRLF and LF make no difference. */
  readonly checksum: string;
}

const extension = '.sql';

/** All files of a directory, in the order of their names. */
export function readSqlTexts(directory: string): SqlText[] {
  return sqlNames(directory).map((name) => {
    const text = readFileSync(join(directory, `${name}${extension}`), 'utf8');
    const checksum = createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');
    return { name, text, checksum };
  });
}

/** Names of all files of a directory, in order. */
export function sqlNames(directory: string): string[] {
  const files = readdirSync(directory).filter((file) => file.endsWith(extension));
  return files.sort(byCodeUnit).map((file) => file.slice(0, -extension.length));
}

/** Orders names independently of the locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
