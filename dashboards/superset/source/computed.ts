/** Computed columns and additional metrics of Superset datasets. */
import type { Metric } from './catalog.ts';

/** A computed column. */
export type Computed = Pick<Metric, 'name' | 'label' | 'expression' | 'description'>;

const today = "(now() at time zone 'utc')::date";

/** The name of a period, marked when it is not over, so that its figures do not look like a fall. */
const marked = (name: string, label: string, text: string, end: string, more = ''): Computed => ({
  name,
  label,
  expression: `${text} || case when ${end} > ${today} then ' (running)'${more} else '' end`,
  description: `${label}; (running): it is not over${more === '' ? '' : ', (part): not all of its days are held'}.`,
});
const part = " when not is_complete then ' (part)'";
const month = (more = '') =>
  marked(
    'month',
    'Month',
    "to_char(month_start, 'YYYY-MM')",
    "(month_start + interval '1 month')::date",
    more,
  );

/** By view name. */
export const computed: Readonly<Record<string, readonly Computed[]>> = {
  monthly_overview: [month(part)],
  weekly_overview: [
    marked(
      'week',
      'Week',
      `to_char(week_start, 'IYYY-"W"IW')`,
      "(week_start + interval '7 days')::date",
      part,
    ),
  ],
  cost_by_month: [
    month(),
    {
      name: 'payer',
      label: 'Cost center (or none)',
      expression: "coalesce(cost_center, 'none')",
      description: 'Cost center that pays; none: not given.',
    },
  ],
  team_overview: [month()],
  user_cohorts: [
    {
      name: 'cohort',
      label: 'Cohort',
      expression: "to_char(cohort_month, 'YYYY-MM')",
      description: 'Month of the first active day ever of the users.',
    },
  ],
  data_gaps: [
    {
      name: 'month',
      label: 'Month',
      expression: "to_char(usage_date, 'YYYY-MM')",
      description: 'Month of the day.',
    },
  ],
};

const latestMonth: Metric = {
  name: 'latest_month',
  label: 'Latest month',
  expression: 'max(month_start)',
  description: 'To sort by.',
};
const total = (name: string, label: string, description: string): Metric => ({
  name: `${name}_total`,
  label,
  expression: `sum(${name})`,
  description,
  format: ',d',
});

/** Additional metrics by view name. */
export const more: Readonly<Record<string, readonly Metric[]>> = {
  monthly_overview: [latestMonth],
  cost_by_month: [
    {
      name: 'unpriced_share',
      label: 'Credits without a price',
      expression: '(sum(unpriced_credits)::double precision / nullif(sum(credits), 0))',
      description: 'Credits without a price / credits. Unit: share, 0 to 1.',
      format: '.1%',
    },
  ],
  data_freshness: [
    {
      name: 'last_day_of_all',
      label: 'Data up to',
      expression: 'min(last_day)',
      description: 'The last day that all endpoints hold.',
    },
    total(
      'days_missing',
      'Days missing (all endpoints)',
      'Days that were asked for and are not held, over endpoints.',
    ),
    total('rows_rejected', 'Records rejected', 'Records of the platform that could not be loaded.'),
  ],
};
