/** Tables on a terminal. */
import { numberText } from './number-text.ts';

/** A longer cell would push all others out of sight. */
const mostOfCell = 80;

/** Lays out rows under their headings, numbers to the right; several lines without a line end at the close. */
export function textTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const cells = [headings, ...rows.map((row) => row.map(cellText))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)));
  const numeric = headings.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  return cells
    .map((row) =>
      row
        .map((cell, column) =>
          numeric[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function cellText(value: string | number | null): string {
  if (value === null) return '–';
  if (typeof value === 'number') return numberText(value);
  return value.length > mostOfCell ? `${value.slice(0, mostOfCell - 1)}…` : value;
}
