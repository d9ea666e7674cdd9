/** Describes the columns of a dataset for Superset: which are figures, how each is summed, and warnings. */
import { type Measure, measureOf } from '../../../src/model/measures.ts';

/** A column of a view or a select. */
export interface Column {
  readonly name: string;
  /** The type as Postgres writes it. */
  readonly type: string;
  /** The comment in the database; null without one. */
  readonly comment: string | null;
}

/** A metric of Superset. */
export interface Metric {
  readonly name: string;
  readonly label: string;
  readonly expression: string;
  readonly description: string;
  /** Shown beside a warning sign. */
  readonly warning?: string;
  readonly format?: string;
}

/** Shares and means over several rows: numerator and denominator, each summed over rows with a known denominator. */
const ratios: Readonly<Record<string, readonly [above: string, below: string]>> = {
  stickiness: ['daily_active_users', 'monthly_active_users'],
  cache_hit_ratio: ['cache_read_tokens', 'input_tokens + cache_read_tokens + cache_write_tokens'],
  credits_per_active_user: ['credits', 'active_users'],
  retention: ['active_users', 'users'],
  used_share: ['credits_this_month', 'limit_credits'],
  passing_share: ['passing', 'repositories'],
};

/** Labels that the rule in `labelOf` would get wrong. */
const words: Readonly<Record<string, string>> = {
  git_prs_created: 'Pull requests created',
  git_prs_created_28d: 'Pull requests created, 28 days',
  daily_active_users: 'Active users',
  org_id: 'Organization',
  usage_date: 'Day',
  month_start: 'Month from',
  week_start: 'Week from',
  client_type: 'Client',
  model_id: 'Model',
  model_tier: 'Tier',
  user_label: 'User',
  user_email: 'E-mail',
};

/** The label of a column: `credits_28d` is "Credits, 28 days". */
export function labelOf(name: string): string {
  const known = words[name];
  if (known !== undefined) return known;
  const text = name
    .replaceAll('_', ' ')
    .replace(/ (\d+)d( avg)?$/, (_, days, mean) => `, ${days} days${mean === undefined ? '' : ' (mean)'}`)
    .replace(/\bmcp\b/g, 'MCP')
    .replace(/\bid\b/g, 'id');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Time columns for the filter of days; the first one of a dataset counts. */
const timeColumns = ['usage_date', 'week_start', 'month_start', 'cohort_month', 'date_day', 'created_at'];

/** The time column of a dataset. */
export function timeColumnOf(columns: readonly Column[]): string | undefined {
  return timeColumns.find((name) => columns.some((column) => column.name === name));
}

/** The certified metrics of a dataset: one for each figure, and the number of rows. */
export function metricsOf(view: string, columns: readonly Column[]): Metric[] {
  const names = new Set(columns.map(({ name }) => name));
  const time = timeColumnOf(columns);
  return [
    ...columns.flatMap((column) => {
      const measure = measureOf(view, column.name);
      return measure === undefined ? [] : [metricOf(column, measure, names, time)];
    }),
    {
      name: 'rows',
      label: 'Rows',
      expression: 'count(*)',
      description: 'Rows of the dataset.',
      format: ',d',
    },
  ];
}

function metricOf({ name, comment }: Column, measure: Measure, names: Set<string>, time?: string): Metric {
  const description = comment ?? `${measure.what}. Unit: ${measure.unit}.`;
  const label = labelOf(name);
  const format = formatOf(measure);
  const because = measure.note === undefined ? '' : `: ${measure.note}`;
  const ratio = ratioOf(name, names);
  if (ratio !== undefined)
    return {
      name,
      label,
      expression: `((sum(${ratio[0]}) filter (where ${ratio[1]} is not null))::double precision / nullif(sum(${ratio[1]}), 0))`,
      description,
      warning: `Sum of ${ratio[0]} / sum of ${ratio[1]} over all that is shown: days with more of them weigh more.`,
      format,
    };
  if (measure.overDays === 'sum') {
    const warning = measure.note === undefined ? {} : { warning: `A sum. Beware: ${measure.note}.` };
    return { name, label, expression: `sum(${name})`, description, ...warning, format };
  }
  if (measure.note?.includes('additive over users'))
    return {
      name: `${name}_total`,
      label,
      expression: `sum(${name})`,
      description,
      warning: `A sum over the users that are shown. Beware: ${measure.note}.`,
      format,
    };
  if (measure.overDays === 'last' && time !== undefined)
    return {
      name: `${name}_last_day`,
      label: `${label} (last day)`,
      expression: `(array_agg(${name} order by ${time} desc) filter (where ${name} is not null))[1]`,
      description,
      warning: `Of the last day that is shown, of one organization: not additive over days${because}.`,
      format,
    };
  if (measure.overDays === 'max')
    return {
      name: `${name}_busiest_day`,
      label: `${label} (busiest day)`,
      expression: `max(${name})`,
      description,
      warning: `Of the day with the highest value, of one organization: not additive over days${because}.`,
      format,
    };
  return {
    name: `${name}_highest`,
    label,
    expression: `max(${name})`,
    description,
    warning: `The highest value of the rows that are shown, so it is right where one row is shown at a time: not additive over days${because}.`,
    format,
  };
}

/** Numerator and denominator; undefined when the dataset lacks one of them. */
function ratioOf(name: string, names: ReadonlySet<string>): readonly [string, string] | undefined {
  const ratio = ratios[name];
  const parts = ratio?.flatMap((part) => part.split(' + ')) ?? [];
  return parts.every((part) => names.has(part)) ? ratio : undefined;
}

function formatOf({ unit }: Measure): string {
  if (unit.startsWith('share')) return '.1%';
  if (unit === 'currency') return ',.2f';
  return / per /.test(unit) ? ',.2f' : ',.0f';
}
