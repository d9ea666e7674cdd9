/** Tables that people write and programs export: CSV as RFC 4180 says, in UTF-8, with a byte order mark or without. */
import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';

/** A line below the header. */
export interface CsvRecord<Column extends string> {
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  /** What stands there in a column; empty where the file has no such column. */
  readonly value: (column: Column) => string;
}

/** The columns of a file, which may stand there in any order. */
export interface CsvColumns<Column extends string> {
  readonly required: readonly Column[];
  readonly optional?: readonly Column[];
}

/** Lines may end as on any system, and differ. */
const lineEnds = ['\r\n', '\n', '\r'];
const lineEnd = /\r\n|\n|\r/g;

/**
 * Reads a file whose first line names its columns; empty lines are skipped. Adds a sentence to `problems` for each line
 * that cannot be read; the others are returned.
 */
export function readCsv<Column extends string>(
  bytes: Buffer,
  columns: CsvColumns<Column>,
  problems: string[],
): CsvRecord<Column>[] {
  if (!isUtf8(bytes)) {
    problems.push('expected text in UTF-8, got something else; save the file as "CSV UTF-8"');
    return [];
  }
  const [header, ...lines] = linesOf(bytes, problems);
  if (header === undefined) {
    if (problems.length === 0)
      problems.push(`expected a first line with the columns ${listed(columns)}, got an empty file`);
    return [];
  }
  const names = columnsOf(header, columns, problems);
  if (names === undefined) return [];
  const expected = names.length;
  return lines.flatMap(({ line, fields }) => {
    const unusable = names.flatMap((name, index) => problemsOf(name, fields[index] ?? ''));
    if (unusable.length > 0) {
      problems.push(...unusable.map((problem) => `line ${line}: ${problem}`));
      return [];
    }
    if (fields.length === expected) return [{ line, value: (column) => fields[names.indexOf(column)] ?? '' }];
    problems.push(`line ${line}: expected ${expected} values as in the first line, got ${fields.length}`);
    return [];
  });
}

/** More characters than any name has. */
const mostCharacters = 2_000;
const control = /[\0-\x08\x0e-\x1f\x7f]/;

/** What no value may be, whatever its column. */
function problemsOf(column: string, value: string): string[] {
  if (value.length > mostCharacters)
    return [
      `${column}: expected at most ${mostCharacters} characters, got ${value.length}, which begin ${JSON.stringify(value.slice(0, 40))}`,
    ];
  const at = value.search(control);
  if (at < 0) return [];
  const code = value.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0');
  return [
    `${column}: expected no control characters, got U+${code} after ${JSON.stringify(value.slice(Math.max(0, at - 40), at))}`,
  ];
}

/** One line of CSV, without its end. */
export function csvLine(fields: readonly string[]): string {
  return fields
    .map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field))
    .join(',');
}

/** Where some spreadsheet begins a value, also one that reads another separator than the comma. */
const formula = /(?:^|[,;|])[\s\p{C}]*[=+\-\u2212@\t\r]/u;

/**
 * Whether a spreadsheet may take a value, or what it takes for one, for a formula: quotes do not keep it from that. Full-
 * width and other compatible forms of the signs count as the signs.
 */
export function startsFormula(field: string): boolean {
  return formula.test(field) || formula.test(field.normalize('NFKC'));
}

interface Line {
  readonly line: number;
  readonly fields: readonly string[];
}

/** What the library reads, up to the first line that it cannot. */
function linesOf(bytes: Buffer, problems: string[]): Line[] {
  const lines: Line[] = [];
  // Counted here: the library takes a line end of two characters within quotes for two.
  let line = 1;
  let read = 0;
  const keep = (fields: string[], { bytes: end }: { readonly bytes: number }) => {
    if (fields.length > 1 || fields[0] !== '') lines.push({ line, fields });
    line += bytes.toString('latin1', read, end).match(lineEnd)?.length ?? 0;
    read = end;
    return null;
  };
  try {
    parse(bytes, { bom: true, relax_column_count: true, record_delimiter: lineEnds, on_record: keep });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.push(
      `line ${line}: expected quotes around a whole value, and those within it doubled; what follows this line could not be read`,
    );
  }
  return lines;
}

/** The column at each place; undefined, and problems, when they are not those that are expected. */
function columnsOf<Column extends string>(
  { line, fields }: Line,
  columns: CsvColumns<Column>,
  problems: string[],
): Column[] | undefined {
  const known = [...columns.required, ...(columns.optional ?? [])];
  const found: Column[] = [];
  const wrong: string[] = [];
  for (const name of fields.map((field) => field.trim())) {
    const column = known.find((each) => each === name);
    if (column === undefined) wrong.push(`no column ${JSON.stringify(name)}`);
    else if (found.includes(column)) wrong.push(`${column} once`);
    else found.push(column);
  }
  const missing = columns.required.filter((column) => !found.includes(column));
  if (wrong.length === 0 && missing.length === 0) return found;
  const details = [
    ...missing.map((column) => `${column} is missing`),
    ...wrong.map((each) => `expected ${each}`),
  ];
  problems.push(`line ${line}: expected the columns ${listed(columns)}: ${details.join('; ')}`);
  return undefined;
}

function listed({ required, optional = [] }: CsvColumns<string>): string {
  const first = required.join(', ');
  return optional.length === 0 ? first : `${first}, and perhaps ${optional.join(', ')}`;
}
