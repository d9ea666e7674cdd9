/** What the stream at the other end can show. */

/** A standard stream, as far as it matters here. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** What may be written to a stream. */
export interface Terminal {
  readonly isTerminal: boolean;
  /** Whether lines may be drawn over, such as that of a progress bar. */
  readonly moves: boolean;
  readonly colors: boolean;
}

/**
 * What a stream can take. A terminal that says of itself that it is `dumb`, and the log of a CI system, get plain lines;
 * NO_COLOR (https://no-color.org) takes the colours away only.
 */
export function terminalOf(
  { isTTY }: Stream,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const isTerminal = isTTY === true;
  const moves = isTerminal && environment.TERM !== 'dumb' && !isCi(environment.CI);
  return { isTerminal, moves, colors: moves && (environment.NO_COLOR ?? '') === '' };
}

function isCi(text: string | undefined): boolean {
  return text !== undefined && !['', 'false', '0'].includes(text);
}

/** Where a terminal does not tell its width. */
const usualColumns = 80;

/** Columns of a line; without bound where nobody looks at a screen. */
export function columnsOf({ isTTY, columns }: Stream): number {
  if (isTTY !== true) return Number.POSITIVE_INFINITY;
  return columns === undefined || columns === 0 ? usualColumns : columns;
}
