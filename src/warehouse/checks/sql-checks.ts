/** The checks that are SQL files: `sql/reconciliations` compares figures, `sql/checks` finds what must not be there. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sqlDirectory } from '../sql-files.ts';
import type { Comparisons } from './check-results.ts';

/** A check that Postgres makes by itself. */
export interface SqlCheck {
  /** File name without `.sql`. */
  readonly name: string;
  readonly comparisons: Comparisons;
}

/**
 * Every SQL file of `sql/reconciliations`, in the order of the names. Each is one `select` as `Comparisons` describes
 * it, one row per comparison. Remainders of a day that have the same `detail` are kept as one, so that `detail`
 * names what is compared; only a contradiction's names the user or the group.
 */
export async function readReconciliations(): Promise<SqlCheck[]> {
  const files = await sqlFiles('reconciliations');
  return files.map(({ name, text }) => ({ name, comparisons: { text, parameters: [] } }));
}

/**
 * A `select` of what must not be there: `endpoint, usage_date, detail`. `$1` is the organization's key, `$2` and `$3` the
 * first and last day. A row of a day that no range can name, because the platform does not serve it, is found with every
 * range, and so is one without a day (`etl.days_to_check`).
 */
export interface Findings {
  readonly name: string;
  readonly text: string;
}

/** Every file of `sql/checks`, in the order of the names. */
export function readFindings(): Promise<Findings[]> {
  return sqlFiles('checks');
}

/** The check that nothing is found: then it is one comparison that agrees; else each row is a contradiction. */
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
