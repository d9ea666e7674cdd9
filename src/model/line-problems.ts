/** Sorts the problems of a file by line. */

/** Sorts problems by the line number at their beginning (`line 7: …`); problems without one come first. */
export function byLine(problems: readonly string[]): string[] {
  return problems.toSorted((a, b) => lineOf(a) - lineOf(b));
}

function lineOf(problem: string): number {
  return Number(/^line (\d+): /.exec(problem)?.[1] ?? 0);
}
