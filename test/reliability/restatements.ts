/** Days that the platform reports differently from now on, drawn from a seed. */
import { type Day, day, daysOf } from '../../src/model/day.ts';
import type { RandomStream } from '../../src/simulator/random.ts';
import { fieldsOf } from '../support/exact-json.ts';
import { endpoints, type Installation } from '../support/installation.ts';

/**
 * Restates `count` slices of a range: figures change, users vanish, a breakdown loses or gains an entry. What
 * was served before the first restatement is the base, so that repeated ones do not pile up.
 */
export function restate(
  { dataset }: Pick<Installation, 'dataset'>,
  range: { readonly from: string; readonly to: string },
  random: RandomStream,
  count: number,
): void {
  const days = daysOf({ from: day(range.from), to: day(range.to) });
  for (let restated = 0; restated < count; restated++) {
    const endpoint = endpoints[random.between(0, endpoints.length - 1)] ?? 'tokens';
    const of = days[random.between(0, days.length - 1)] ?? day(range.from);
    dataset.overrideRows(endpoint, of, undefined);
    dataset.overrideRows(endpoint, of, restatedRows(dataset.rows(endpoint, of), endpoint, of, random));
  }
}

function restatedRows(
  rows: readonly unknown[],
  endpoint: string,
  of: Day,
  random: RandomStream,
): readonly unknown[] {
  if (endpoint === 'users') {
    const kept = rows.filter(() => random.next() < 0.8).map((row) => withNewFigures(row, random));
    const added = {
      user_id: `user_added_${random.between(1, 20)}`,
      date: of,
      sessions: 1,
      languages: ['Zig'],
    };
    return [...kept, added];
  }
  return rows.map((row) => withNewFigures(row, random));
}

/** The same row with other counts, and with each of its lists shortened by chance. */
function withNewFigures(row: unknown, random: RandomStream): unknown {
  const entries = Object.entries(fieldsOf(row)).map(([name, value]) => {
    if (typeof value === 'number') return [name, random.between(0, 1_000_000)];
    if (Array.isArray(value)) return [name, value.filter(() => random.next() < 0.9)];
    return [name, value];
  });
  return Object.fromEntries(entries);
}
