/** What is wrong with the lines of a file, in the order in which a reader goes through it. */

/** Sorts problems by the line that they begin with (`line 7: …`); what is about no line comes first. */
export function byLine(problems: readonly string[]): string[] {
  return problems.toSorted((a, b) => lineOf(a) - lineOf(b));
}

function lineOf(problem: string): number {
  return Number(/^line (\d+): /.exec(problem)?.[1] ?? 0);
}
