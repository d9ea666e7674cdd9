/** Estimates the number of records of a slice from the numbers of other slices of its source. */
import { isDay } from '../day.ts';

const dayMs = 86_400_000;
/** Within so many days, a day with the same weekday is a better example than a nearer one: usage differs by weekday. */
const nearDays = 35;

/**
 * The number of records to expect for the slice `key`. It is the number in `known`, if it has one. Else, for a day, it is
 * that of the nearest known day with the same weekday within five weeks, or of the nearest known day; for any other key it
 * is the mean. Undefined if `known` is empty.
 */
export function expectedRecords(key: string, known: ReadonlyMap<string, number>): number | undefined {
  const own = known.get(key);
  if (own !== undefined || known.size === 0) return own;
  if (!isDay(key)) return [...known.values()].reduce((sum, records) => sum + records, 0) / known.size;
  const wanted = dayNumber(key);
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [day, records] of known) {
    const distance = Math.abs(dayNumber(day) - wanted);
    const rank = distance % 7 === 0 && distance <= nearDays ? distance - nearDays : distance;
    if (rank < least) [best, least] = [records, rank];
  }
  return best;
}

/** Days since 1970. */
function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / dayMs;
}
