/** The checks in SQL files: `sql/reconciliations` compares figures, `sql/checks` finds rows that must not exist. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { flattenOf } from '../../flatten/flatten.ts';
import type { Source } from '../../model/source.ts';
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
 * A `select` of rows that must not exist: `endpoint, usage_date, detail`. `$1` is the organization's key, `$2` and
 * `$3` the first and last day. It may read `table_endpoint (table_name, endpoint, is_daily)`: which source fills a table,
 * and whether its slices are UTC days. Every range also finds rows without a day, and rows of days that the platform does not
 * serve, because no range contains them (`etl.days_to_check`).
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
export function nothingFound({ name, text }: Findings, sources: readonly Source[]): SqlCheck {
  return {
    name,
    comparisons: {
      text: `
        with table_endpoint (table_name, endpoint, is_daily) as (
          values ${tableEndpoints(sources)}
        ),
        found as materialized (
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

/** The tables of the sources, as SQL values. */
function tableEndpoints(sources: readonly Source[]): string {
  return sources
    .flatMap((source) => {
      const isDaily = Object.values(source.partitioning.scope).includes('usage_date');
      return flattenOf(source).tables.map(
        ({ name }) => `(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(source.name)}, ${isDaily})`,
      );
    })
    .join(', ');
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
