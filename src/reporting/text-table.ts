/** Text tables for a terminal. */
import { numberText } from './number-text.ts';
import { columnsOf } from './terminal.ts';

/** Most characters of a cell; a longer text is cut. */
const mostOfCell = 80;
const gap = '  ';

type Cell = string | number | null;

/**
 * Formats rows under headings, with numbers on the right, without a final line end. If the table is wider than `width`
 * characters (default: the width of standard output), headings of several words take several lines; if it is still too
 * wide, each row becomes a paragraph.
 */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly Cell[])[],
  width: number = columnsOf(process.stdout),
): string {
  const cells = rows.map((row) => row.map(cellText));
  const numeric = headings.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  for (const stacked of [
    headings.map((heading) => [heading]),
    headings.map((heading) => heading.split(' ')),
  ]) {
    const widths = headings.map((_, column) =>
      longest([...(stacked[column] ?? []), ...cells.map((row) => row[column] ?? '')]),
    );
    if (sum(widths) + gap.length * (widths.length - 1) > width) continue;
    const lines = [...linesOf(stacked), ...cells];
    return lines.map((line) => lineOf(line, widths, numeric)).join('\n');
  }
  return cells.map((row) => paragraphOf(headings, row, width)).join('\n\n');
}

/** The lines of the headings, aligned at the bottom. */
function linesOf(stacked: readonly (readonly string[])[]): string[][] {
  const height = Math.max(...stacked.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    stacked.map((words) => words[line - (height - words.length)] ?? ''),
  );
}

function lineOf(cells: readonly string[], widths: readonly number[], numeric: readonly boolean[]): string {
  return cells
    .map((cell, column) =>
      numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    .join(gap)
    .trimEnd();
}

/** A row for a narrow screen: one line per column. */
function paragraphOf(headings: readonly string[], row: readonly string[], width: number): string {
  const margin = longest(headings);
  return row
    .map((cell, column) => {
      const line = `${(headings[column] ?? '').padEnd(margin)}${gap}${cell}`;
      return line.length > width ? `${line.slice(0, width - 1)}…` : line;
    })
    .join('\n');
}

function cellText(value: Cell): string {
  if (value === null) return '–';
  if (typeof value === 'number') return numberText(value);
  return value.length > mostOfCell ? `${value.slice(0, mostOfCell - 1)}…` : value;
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
