/** Explains why the newest day could not be requested, by comparing our clock with the platform's. */
import type { RunEvent } from '../model/run.ts';

/** A smaller difference is none: it comes from the network and from rounding in the `Date` header. */
const noDifferenceMs = 60_000;

/** A sentence with the time of our clock and, if known, its difference to the platform's clock. */
export function clocksInWords({
  day,
  servedUntil,
  timeHere,
  timeThere,
}: Extract<RunEvent, { type: 'day-not-served' }>): string {
  const missing = `the platform does not serve ${day} yet, its last day is ${servedUntil}; the missing day stays pending`;
  const here = `the clock of this machine (${textOf(timeHere)})`;
  if (timeThere === undefined)
    return `${missing}: ${here} seems to be ahead of the platform's, which sends no time; check it`;
  const aheadMs = timeHere - timeThere;
  const there = `(${textOf(timeThere)}, from its Date header)`;
  if (Math.abs(aheadMs) < noDifferenceMs)
    return `${missing}: ${here} agrees with the platform's ${there}, so its own day seems to end later; the next run asks again`;
  return aheadMs > 0
    ? `${missing}: ${here} is ${durationOf(aheadMs)} ahead of the platform's ${there}; set it right`
    : `${missing}: ${here} is ${durationOf(-aheadMs)} behind the platform's ${there}; the next run asks again`;
}

function textOf(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}

/** Milliseconds in words, such as `1 d 2 h 5 min`, rounded to minutes. */
export function durationOf(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  const parts = [
    [Math.floor(minutes / 1_440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? [`${count} ${unit}`] : [])).join(' ');
}
