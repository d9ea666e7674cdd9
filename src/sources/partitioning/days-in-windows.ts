/** Days that are read in windows: one request for several days. */
import { addDays, type Day, daysBetween, earliestDay } from '../../model/day.ts';
import { UnexpectedAnswerError } from '../../model/errors.ts';
import type { Partitioning } from '../../model/partitioning.ts';
import { days, requestForDays } from './days.ts';

/**
 * Partitioning by windows of days. Windows lie on a fixed grid from the platform's first day, so that a repeated run
 * sends the same requests. A source with windows has no pages (platform-api.md §2.5): an answer with a next page is an
 * error, because records would be lost. A cursor is ignored when the answer says that it is the last.
 */
export function daysInWindows(path: string): Partitioning {
  return {
    ...days,
    // A window is one large answer, so windows are read one at a time to limit memory.
    lanes: 'one',
    plan: ({ days: wanted, isWanted, width }) => windowsOf(wanted.filter(isWanted), width),
    first: (keys) => requestForDays(path, keys),
    next({ cursor, lastPageField, pagingProblem }) {
      if (lastPageField !== undefined || (cursor === undefined && pagingProblem === undefined))
        return undefined;
      throw new UnexpectedAnswerError(
        `expected all rows of ${path} in one answer, but it says that more follow; ${pagingProblem ?? 'it names a next cursor'}`,
      );
    },
  };
}

function windowsOf(wanted: readonly Day[], width: number): Day[][] {
  const windows: Day[][] = [];
  for (const day of wanted) {
    const current = windows.at(-1);
    const previous = current?.at(-1);
    const areNeighbours = previous !== undefined && addDays(previous, 1) === day;
    if (areNeighbours && gridCell(previous, width) === gridCell(day, width)) current?.push(day);
    else windows.push([day]);
  }
  return windows;
}

function gridCell(day: Day, width: number): number {
  return Math.floor(daysBetween(earliestDay, day) / width);
}
