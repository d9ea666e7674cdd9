/** Compares stored breakdowns with the same figures in the platform's answers to `group_by`. */
import pg from 'pg';
import { isReference, type Table } from '../../model/table.ts';
import type { Comparisons } from './check-results.ts';

/** Figures by day and group: columns of equal length. */
export interface GroupedFigures {
  readonly days: readonly string[];
  readonly groups: readonly string[];
  /** `groups`, sanitized: the results of checks store them in this form. */
  readonly groupsShown: readonly string[];
  /** Column of the table → its values, exact decimal text or null. */
  readonly figures: Readonly<Record<string, readonly (string | null)[]>>;
}

/** Where the same figures are stored. */
export interface StoredGroups {
  readonly endpoint: string;
  /** The table; its first key is the group. */
  readonly table: Table;
  /** Column with the group in the dimension of that key. */
  readonly groupColumn: string;
}

/**
 * Compares every figure of every group and day in the range of the check. Figures of a group that comes twice are summed;
 * a group that only one side has counts as zero on the other. Throws `TypeError` for a table without a key.
 */
export function compareGrouped(stored: StoredGroups, reported: GroupedFigures): Comparisons {
  const { endpoint, table, groupColumn } = stored;
  const [reference] = table.keys;
  if (reference === undefined || !isReference(reference))
    throw new TypeError(`${table.name}: a table without a key has no groups`);
  const { column, dimension } = reference;
  const columns = Object.keys(reported.figures);
  const names = columns.map((name) => pg.escapeIdentifier(name));
  const firstFigure = 8;
  const arrays = names.map((_, index) => `$${firstFigure + index}::numeric[]`);
  const sums = (prefix: string) => names.map((name) => `sum(${prefix}.${name}) as ${name}`).join(', ');
  const figures = columns.map((name, index) => {
    const quoted = names[index];
    return `(${pg.escapeLiteral(name)}, coalesce(reported.${quoted}, 0), coalesce(stored.${quoted}, 0))`;
  });
  const text = `
    with reported as (
      select r.usage_date, r.group_key, min(r.shown) as shown, ${sums('r')}
      from unnest($5::date[], $6::text[], $7::text[], ${arrays.join(', ')})
        as r (usage_date, group_key, shown, ${names.join(', ')})
      group by r.usage_date, r.group_key
    ),
    stored as (
      select f.usage_date, d.${pg.escapeIdentifier(groupColumn)} as group_key, ${sums('f')}
      from warehouse.${pg.escapeIdentifier(table.name)} as f
      join warehouse.${pg.escapeIdentifier(dimension.table)} as d
        on d.${pg.escapeIdentifier(dimension.key)} = f.${pg.escapeIdentifier(column)}
      where f.org_key = $1 and f.usage_date between $2 and $3
      group by 1, 2
    )
    select
      $4::text as endpoint,
      coalesce(reported.usage_date, stored.usage_date) as usage_date,
      figure.expected,
      figure.actual,
      case
        -- the platform adds in floating point: a difference below 1 in 10^12 does not count
        when abs(figure.actual - figure.expected) <= greatest(figure.actual, figure.expected) * 1e-12 then 'ok'
        else 'contradiction'
      end as verdict,
      format(
        '%s of %s: expected as the platform groups it now, actual as it was loaded',
        figure.measure,
        -- never cut a name: in a piece of it, the sanitizer would not find what it must hide
        case
          when reported.shown is not null then reported.shown
          when length(stored.group_key) <= 200 and position('@' in stored.group_key) = 0 then stored.group_key
          else format('a name of %s characters', length(stored.group_key))
        end
      ) as detail
    from reported
    full join stored
      on stored.usage_date = reported.usage_date
      and stored.group_key = reported.group_key
    cross join lateral (values ${figures.join(', ')}) as figure (measure, expected, actual)`;
  const values = columns.map((name) => reported.figures[name] ?? []);
  return { text, parameters: [endpoint, reported.days, reported.groups, reported.groupsShown, ...values] };
}
