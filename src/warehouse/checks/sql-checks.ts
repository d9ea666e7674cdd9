/** The checks in SQL files: `sql/reconciliations` compares figures, `sql/checks` finds rows that must not exist. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlDirectory } from '../sql-files.ts';
import type { Comparisons } from './check-results.ts';

/** A check that Postgres makes alone. */
export interface SqlCheck {
  /** File name without `.sql`. */
  readonly name: string;
  readonly comparisons: Comparisons;
}

/**
 * Every SQL file of `sql/reconciliations`, in the order of the names. Each is one `select` as in `Comparisons`, with one
 * row per comparison. Remainders of a day with the same `detail` are summed: their `detail` names only what is compared.
 * The `detail` of a contradiction also names the user or the group.
 */
export async function readReconciliations(): Promise<SqlCheck[]> {
  const files = await sqlFiles('reconciliations');
  return files.map(({ name, text }) => ({ name, comparisons: { text, parameters: [] } }));
}

/**
 * A `select` of rows that must not exist, with the columns `endpoint, usage_date, detail`. `$1` is the organization's key,
 * `$2` and `$3` are the first and last day. Rows without a day, and rows of days that the platform does not serve, are
 * found with any range, because no range contains them (`etl.days_to_check`).
 */
export interface Findings {
  readonly name: string;
  readonly text: string;
}

/** Every file of `sql/checks`, in the order of the names. */
export function readFindings(): Promise<Findings[]> {
  return sqlFiles('checks');
}

/** Makes a check of a `select` of wrong rows: each row is a contradiction; without rows, one comparison agrees. */
export function nothingFound({ name, text }: Findings): SqlCheck {
  return {
    name,
    comparisons: {
      text: `
        with found as materialized (
          ${text.trim().replace(/;$/, '')}
        )
        select endpoint, usage_date, null as expected, null as actual, 'contradiction' as verdict, detail
        from found
        union all
        select null, null, null, null, 'ok', null
        where not exists (select from found)`,
      parameters: [],
    },
  };
}

async function sqlFiles(directory: string): Promise<{ name: string; text: string }[]> {
  const path = join(sqlDirectory, directory);
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => ({
      name: name.slice(0, -'.sql'.length),
      text: await readFile(join(path, name), 'utf8'),
    })),
  );
}
