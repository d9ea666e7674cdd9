/** What the page of `report` answers to questions of `sql/questions`. */
import { rowsOf } from '../support/report-page.ts';

/** The table with the answer, by the name of the question. */
const tables: Readonly<Record<string, string>> = {
  '01_active_users_by_month': 'months',
  '08_credits_by_month': 'months',
  '09_credits_by_model': 'models',
  '10_cost_by_team': 'teams',
  '25_clients': 'clients',
};

/** The rows of the answer: the columns of the key as `keys` names them, and exact figures by the question's columns. */
export function figuresByReport(
  page: string,
  { name, keys }: { readonly name: string; readonly keys: readonly string[] },
): Readonly<Record<string, string | null>>[] {
  const table = tables[name];
  if (table === undefined) throw new Error(`expected a question that the page answers, got ${name}`);
  return rowsOf(page, table).map(({ key, figures }) => ({
    ...Object.fromEntries(keys.map((column, place) => [column, key[place] ?? null])),
    ...figures,
  }));
}
