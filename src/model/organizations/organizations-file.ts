/** Reads ORGANIZATIONS_FILE. Loaded only where the variable is set, because it brings a parser of YAML. */
import { codeOf } from '../error-code.ts';
import { readRegularFile } from '../regular-file.ts';
import type { OrganizationEntry } from './organization-entry.ts';
import { listIn } from './organizations-list.ts';
import { type EntryRules, parseEntries } from './parse-entries.ts';

/** A larger file is refused: 10,000 entries with all their fields are smaller. */
const mostBytes = 16 * 1024 * 1024;

/**
 * The entries of the file. Adds to `problems` every problem of it in one go, by entry and field, without a secret; then
 * the entries are not all there. Reads no key and asks nobody.
 */
export function readOrganizationsFile(rules: EntryRules, problems: string[]): readonly OrganizationEntry[] {
  const found: string[] = [];
  const bytes = bytesOf(rules.file, found);
  const values = bytes === undefined ? undefined : listIn(bytes, found);
  const entries = values === undefined ? [] : parseEntries(values, rules, found);
  problems.push(...found.map((problem) => `ORGANIZATIONS_FILE: ${problem}`));
  return entries;
}

function bytesOf(file: string, problems: string[]): Uint8Array | undefined {
  try {
    return readRegularFile(file, mostBytes);
  } catch (error) {
    const code = codeOf(error);
    const reason =
      code === undefined && error instanceof Error ? error.message : `cannot be read (${code ?? 'unknown'})`;
    problems.push(
      `the file ${JSON.stringify(file)} that it names ${reason}; set it to a YAML list of organizations`,
    );
    return undefined;
  }
}
