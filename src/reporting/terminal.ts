/** The abilities of a standard stream. */

/** A standard stream. */
interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** The abilities of a stream. */
export interface Terminal {
  readonly isTerminal: boolean;
  /** Whether lines can be overwritten, as by a progress bar. */
  readonly moves: boolean;
  readonly colors: boolean;
}

/**
 * The abilities of a stream. A `dumb` terminal and the log of a CI system get plain lines; NO_COLOR
 * (https://no-color.org) only removes colours.
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

/** The width of a terminal that does not report it. */
const usualColumns = 80;

/** Columns of a line; infinite without a terminal. */
export function columnsOf({ isTTY, columns }: Stream): number {
  if (isTTY !== true) return Number.POSITIVE_INFINITY;
  return columns === undefined || columns === 0 ? usualColumns : columns;
}
