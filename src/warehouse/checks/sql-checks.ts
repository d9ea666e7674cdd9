/** The checks that are SQL files: `sql/reconciliations` compares figures, `sql/checks` finds what must not be there. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DayRange } from '../../model/day.ts';
import { sqlDirectory } from '../sql-files.ts';
import type { Comparisons } from './check-results.ts';

/** A check that Postgres makes by itself. */
export interface SqlCheck {
  /** File name without `.sql`. */
  readonly name: string;
  readonly comparisons: Comparisons;
}

/**
 * Every file of `sql/reconciliations`, in the order of the names. Each is one `select` as `Comparisons` describes
 * it, one row per comparison. Remainders of a day that have the same `detail` are kept as one, so that `detail`
 * names what is compared; only a contradiction's names the user or the group.
 */
export async function readReconciliations(): Promise<SqlCheck[]> {
  const files = await sqlFiles('reconciliations');
  return files.map(({ name, text }) => ({ name, comparisons: { text, parameters: [] } }));
}

/** A `select` of what must not be there: `org_key, endpoint, usage_date, detail`. */
export interface Findings {
  readonly name: string;
  readonly text: string;
}

/** Every file of `sql/checks`, in the order of the names. */
export function readFindings(): Promise<Findings[]> {
  return sqlFiles('checks');
}

/**
 * The check that nothing is found: then it is one comparison that agrees; else each row of the organization is a
 * contradiction. A row of a day that no range can name, because the platform does not serve it (`servedDays`), is found
 * with every range, and so is one without a day.
 */
export function nothingFound({ name, text }: Findings, servedDays: DayRange): SqlCheck {
  return {
    name,
    comparisons: {
      text: `
        with found as materialized (
          select row ->> 'endpoint' as endpoint, (row ->> 'usage_date')::date as usage_date, row ->> 'detail' as detail
          from (
            select to_jsonb(file) as row
            from (
              ${text.trim().replace(/;$/, '')}
            ) as file
          ) as rows
          where (row ->> 'org_key' is null or (row ->> 'org_key')::integer = $1)
            and (
              row ->> 'usage_date' is null
              or (row ->> 'usage_date')::date between $2 and $3
              or (row ->> 'usage_date')::date not between $4::date and $5::date
            )
        )
        select endpoint, usage_date, null as expected, null as actual, 'contradiction' as verdict, detail
        from found
        union all
        select null, null, null, null, 'ok', null
        where not exists (select from found)`,
      parameters: [servedDays.from, servedDays.to],
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
