/** All checks that Postgres makes alone. */
import type { Source } from '../../model/source.ts';
import { readBreakdownChecks } from './breakdown-checks.ts';
import { nothingFound, readFindings, readReconciliations, type SqlCheck } from './sql-checks.ts';
import { breakdownsWithoutTotal, rowsInLedger } from './table-checks.ts';

/** All checks in SQL: first those that compare figures, then those that find wrong rows, each group sorted by name. */
export async function readSqlChecks(sources: readonly Source[]): Promise<SqlCheck[]> {
  const comparisons = [
    ...(await readReconciliations()),
    ...(await readBreakdownChecks()),
    rowsInLedger(sources),
  ];
  const findings = [...(await readFindings()), breakdownsWithoutTotal(sources)];
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  return [...comparisons.sort(byName), ...findings.sort(byName).map((each) => nothingFound(each, sources))];
}
