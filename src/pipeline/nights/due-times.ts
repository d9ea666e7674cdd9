/** Computes when a cron expression is due, in UTC. Times are in ms since 1970. */
import { createTask, parse, validate } from 'node-cron';

/** The due times of a schedule. */
export interface DueTimes {
  /** The first due time after a moment. */
  next(afterMs: number): number;
  /** The last due time at or before a moment. */
  last(atMs: number): number;
}

const fieldsOfExpression = /^\s*(?:\S+\s+){4,5}\S+\s*$/;
const dayMs = 86_400_000;
/** The rarest day is a 29 February with a certain day of the week. It comes within so many days. */
const mostDays = 41 * 366;

/**
 * The due times of a cron expression of five fields, or six with seconds first; undefined if it is invalid or never
 * due.
 */
export function dueTimesOf(expression: string): DueTimes | undefined {
  if (!fieldsOfExpression.test(expression) || !validate(expression)) return undefined;
  const { hour, minute, second } = parse(expression);
  // The task is never started. It only tells which days match.
  const task = createTask(expression, () => undefined, { timezone: 'UTC' });
  const firstOfDay = timeOfDay(hour[0], minute[0], second[0]);

  function* timesOfDay(): Generator<number> {
    for (const h of hour) for (const m of minute) for (const s of second) yield timeOfDay(h, m, s);
  }

  /** Calls `find` for each matching day from `fromMs` on (backwards with a negative `step`) until it finds a time. */
  function search(fromMs: number, step: number, find: (startMs: number) => number | undefined) {
    const startMs = Math.floor(fromMs / dayMs) * dayMs;
    for (let days = 0; days < mostDays; days++) {
      const dayStartMs = startMs + days * step * dayMs;
      const found = task.match(new Date(dayStartMs + firstOfDay)) ? find(dayStartMs) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  const next = (afterMs: number) =>
    search(afterMs, 1, (startMs) => {
      for (const time of timesOfDay()) if (startMs + time > afterMs) return startMs + time;
      return undefined;
    });
  const last = (atMs: number) =>
    search(atMs, -1, (startMs) => {
      let found: number | undefined;
      for (const time of timesOfDay()) if (startMs + time <= atMs) found = startMs + time;
      return found;
    });
  if (next(0) === undefined) return undefined;
  return {
    next: (afterMs) => next(afterMs) ?? Number.POSITIVE_INFINITY,
    last: (atMs) => last(atMs) ?? Number.NEGATIVE_INFINITY,
  };
}

function timeOfDay(hour = 0, minute = 0, second = 0): number {
  return ((hour * 60 + minute) * 60 + second) * 1000;
}
