/**
 * The measures of a row as one text: a JSON array of numbers and nulls. No other way of writing numbers is as quick.
 * Without its brackets, `COPY` reads it as columns.
 */

/** Writes figures: numbers, `ExactNumber`s, and null or undefined where there is none. */
export function writeFigures(figures: readonly unknown[]): string {
  return JSON.stringify(figures);
}

/** The exact text of each figure that `writeFigures` wrote; null where there is none. */
export function readFigures(text: string): (string | null)[] {
  const inside = text.slice(1, -1);
  return inside === '' ? [] : inside.split(',').map((figure) => (figure === 'null' ? null : figure));
}

/** Writes figures that `readFigures` read, or sums of them. */
export function rewriteFigures(figures: readonly (string | null)[]): string {
  return `[${figures.map((figure) => figure ?? 'null').join(',')}]`;
}
