/** Five questions that every tool must answer alike, whichever way it asks. Their selects are in `sql/questions`. */
import { Big } from 'big.js';

/** A question, and what of its answer is compared. */
export interface SharedQuestion {
  /** File in `sql/questions`. */
  readonly name: string;
  /** Columns that tell its rows apart. */
  readonly keys: readonly string[];
  /** Columns with figures, and how many digits after the point its select keeps. */
  readonly digits: Readonly<Record<string, number>>;
}

/** Days of the questions, inclusive; those of months take the three months that they lie in. */
export const firstDay = '2026-04-02';
export const lastDay = '2026-06-30';

export const fiveQuestions = {
  activeUsers: {
    name: '01_active_users_by_month',
    keys: ['month_start'],
    digits: { active_users: 0, new_users: 0, stopped_users: 0 },
  },
  creditsByMonth: { name: '08_credits_by_month', keys: ['month_start'], digits: { credits: 0 } },
  creditsByModel: { name: '09_credits_by_model', keys: ['model_id', 'model_tier'], digits: { credits: 0 } },
  costByTeam: { name: '10_cost_by_team', keys: ['team'], digits: { credits: 0, cost: 2 } },
  clients: { name: '25_clients', keys: ['client_type'], digits: { users_on_the_busiest_day: 0 } },
} as const satisfies Readonly<Record<string, SharedQuestion>>;

/**
 * Rows of an answer in the one form in which answers are compared: keys as text, days without a time, figures rounded,
 * rows sorted. A figure may be text or a number.
 */
export function comparable(
  { keys, digits }: SharedQuestion,
  rows: readonly Readonly<Record<string, unknown>>[],
): string[] {
  const figure = (value: unknown, places: number) =>
    value === null || value === undefined || value === '' ? 'none' : new Big(String(value)).toFixed(places);
  return rows
    .map((row) =>
      [
        ...keys.map((key) => String(row[key]).replace(/^(\d{4}-\d\d-\d\d)[T ].*/, '$1')),
        ...Object.entries(digits).map(([name, places]) => `${name} ${figure(row[name], places)}`),
      ].join(', '),
    )
    .sort();
}
