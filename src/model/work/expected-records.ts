/** The number of records that a slice will probably have, from those of other slices of its source. */
import { isDay } from '../day.ts';

const dayMs = 86_400_000;
/** Weeks have busy and quiet days, so within this distance a day of the same weekday is the better example. */
const nearDays = 35;

/**
 * The records to expect for the slice `key`: its own if `known` has them; for a day those of the nearest day of the same
 * weekday within five weeks, else of the nearest day; for another key the mean. Undefined if nothing is known.
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
