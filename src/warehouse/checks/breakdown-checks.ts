/** Compares the sum of a breakdown with the total of its day: `sql/reconciliations/breakdowns.json`. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { z } from 'zod';
import { sqlDirectory } from '../sql-files.ts';
import type { SqlCheck } from './sql-checks.ts';

const { escapeIdentifier: name, escapeLiteral: literal } = pg;

/** A table with totals, and the breakdowns of these totals. */
const total = z.strictObject({
  endpoint: z.string(),
  /** Table with one row per day. */
  table: z.string(),
  /** The share of a total by which a sum may differ from it: the platform adds credits in floating point. */
  tolerance: z.number().nonnegative(),
  breakdowns: z.array(
    z.strictObject({
      check: z.string(),
      table: z.string(),
      /** What a report calls the rows of the breakdown. */
      rows: z.string(),
      /** Column of the total → column of the breakdown that is summed. */
      figures: z.record(z.string(), z.string()),
    }),
  ),
});

type Total = z.infer<typeof total>;
type Breakdown = Total['breakdowns'][number];

/**
 * One check for each breakdown. The platform may leave out parts of a day, but the listed parts cannot add up to more
 * than the day.
 */
export async function readBreakdownChecks(): Promise<SqlCheck[]> {
  const text = await readFile(join(sqlDirectory, 'reconciliations', 'breakdowns.json'), 'utf8');
  return z
    .array(total)
    .parse(JSON.parse(text))
    .flatMap((whole) =>
      whole.breakdowns.map((breakdown) => ({
        name: breakdown.check,
        comparisons: { text: sumsWithinTotal(whole, breakdown), parameters: [] },
      })),
    );
}

function sumsWithinTotal({ endpoint, table, tolerance }: Total, breakdown: Breakdown): string {
  const figures = Object.entries(breakdown.figures);
  const sums = [...new Set(figures.map(([, summed]) => summed))].map(
    (summed) => `sum(${name(summed)}) as ${name(summed)}`,
  );
  const compared = figures.map(
    ([whole, summed]) =>
      `(${literal(whole)}, whole.${name(whole)}::numeric, coalesce(parts.${name(summed)}, 0)::numeric)`,
  );
  return `
    with parts as (
      select usage_date, ${sums.join(', ')}
      from warehouse.${name(breakdown.table)}
      where org_key = $1 and usage_date between $2 and $3
      group by usage_date
    )
    select
      ${literal(endpoint)} as endpoint,
      whole.usage_date,
      figure.expected,
      figure.actual,
      case
        when figure.actual > figure.expected * (1 + ${tolerance}) then 'contradiction'
        when figure.actual < figure.expected * (1 - ${tolerance}) then 'remainder'
        else 'ok'
      end as verdict,
      format('%s of all %s', figure.measure, ${literal(breakdown.rows)}) as detail
    from warehouse.${name(table)} as whole
    left join parts on parts.usage_date = whole.usage_date
    cross join lateral (values ${compared.join(', ')}) as figure (measure, expected, actual)
    where whole.org_key = $1 and whole.usage_date between $2 and $3 and figure.expected is not null`;
}
