/** Reads and writes CSV as RFC 4180 describes it, in UTF-8, with or without a byte order mark. */
import { isUtf8 } from 'node:buffer';
import { CsvError, parse } from 'csv-parse/sync';

/** A line below the header. */
export interface CsvRecord<Column extends string> {
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  /** The value of a column; empty when the file has no such column. */
  readonly value: (column: Column) => string;
}

/** The columns of a file, in any order. */
export interface CsvColumns<Column extends string> {
  readonly required: readonly Column[];
  readonly optional?: readonly Column[];
}

/** The line ends that a file may have; they may be mixed. */
const lineEnds = ['\r\n', '\n', '\r'];
const lineEnd = /\r\n|\n|\r/g;

/**
 * Reads a file whose first line names its columns; skips empty lines. Adds a sentence to `problems` for each line that
 * it cannot read, and returns the other lines.
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

/** Like `readCsv`, for a file that must have lines below the first: adds a sentence to `problems` when it has none. */
export function readFilledCsv<Column extends string>(
  bytes: Buffer,
  columns: CsvColumns<Column>,
  problems: string[],
): CsvRecord<Column>[] {
  const before = problems.length;
  const records = readCsv(bytes, columns, problems);
  if (records.length === 0 && problems.length === before)
    problems.push('expected at least one line below the first, which names the columns');
  return records;
}

/** A value in quotes, for a sentence about it; cut after 60 characters. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}

/** More characters than any name has. */
const mostCharacters = 2_000;
const control = /[\0-\x08\x0e-\x1f\x7f]/;

/** Problems that a value can have in any column. */
function problemsOf(column: string, value: string): string[] {
  if (value.length > mostCharacters)
    return [
      `${column}: expected at most ${mostCharacters} characters, got ${value.length}, beginning with ${JSON.stringify(value.slice(0, 40))}`,
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

/** A formula sign at the beginning of a value, or after a separator: some spreadsheets split a value there. */
const formula = /(?:^|[,;|])[\s\p{C}]*[=+\-\u2212@\t\r]/u;

/**
 * Whether a spreadsheet may run a value, or part of it, as a formula. Quotes do not prevent that. Full-width and other
 * compatible forms of the signs count, too.
 */
export function startsFormula(field: string): boolean {
  return formula.test(field) || formula.test(field.normalize('NFKC'));
}

interface Line {
  readonly line: number;
  readonly fields: readonly string[];
}

/** The lines of a file, up to the first one that the library cannot read. */
function linesOf(bytes: Buffer, problems: string[]): Line[] {
  const lines: Line[] = [];
  // We count lines ourselves: the library counts a CRLF within quotes as two.
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
      `line ${line}: expected quotes around the whole value and doubled quotes within it; the lines after this one were not read`,
    );
  }
  return lines;
}

/** The columns in the order of the file. Undefined, and a problem, when a column is missing, unknown or repeated. */
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
  if (fields.length === 1 && fields[0]?.includes(';')) {
    problems.push(
      `line ${line}: expected commas between the columns, got semicolons; separate the columns by commas`,
    );
    return undefined;
  }
  const details = [
    ...missing.map((column) => `${column} is missing`),
    ...wrong.map((each) => `expected ${each}`),
  ];
  problems.push(`line ${line}: expected the columns ${listed(columns)}: ${details.join('; ')}`);
  return undefined;
}

function listed({ required, optional = [] }: CsvColumns<string>): string {
  const first = required.join(', ');
  return optional.length === 0 ? first : `${first}, optionally ${optional.join(', ')}`;
}
