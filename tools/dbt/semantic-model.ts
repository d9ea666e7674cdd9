/**
 * The semantic model of a view for MetricFlow: entities, dimensions, measures, and a metric for each figure that can be
 * combined over days.
 */
import { type Measure, measureOf } from '../../src/model/measures.ts';
import type { Column, Relation } from '../relations.ts';
import { type Grain, grains } from './grains.ts';

/** How a measure aggregates several rows. */
interface Aggregation {
  readonly agg: 'sum' | 'max' | 'count_distinct';
  readonly expr?: string;
  /** Set if only the rows of the last day, week or month count: the time dimension that says which these are. */
  readonly lastOf?: string;
}

/** A measure and its simple metric. */
interface Figure extends Aggregation {
  readonly name: string;
  readonly description: string;
}

/** Identifies a user: a user id alone is unique within an organization only. */
const oneUser = "org_id || ' ' || user_id";

/** Figures that are not columns: distinct users are counted from rows, over any days. */
const counted: Readonly<Record<string, readonly Figure[]>> = {
  user_activity: [
    {
      name: 'active_users',
      agg: 'count_distinct',
      expr: `case when is_active then ${oneUser} end`,
      description:
        'Distinct users with an active day in the period, whatever period is asked for. Unit: users.',
    },
  ],
  user_languages: [
    {
      name: 'users_of_languages',
      agg: 'count_distinct',
      expr: oneUser,
      description: 'Distinct users who worked in a language, over any period. Unit: users.',
    },
  ],
  credits_by_user_and_model: [
    {
      name: 'users_of_models',
      agg: 'count_distinct',
      expr: oneUser,
      description: 'Distinct users to whom credits of a model were charged, over any period. Unit: users.',
    },
  ],
  data_gaps: [
    {
      name: 'missing_days',
      agg: 'sum',
      expr: '1',
      description: 'Days of endpoints that are not held. Unit: days.',
    },
  ],
};

/** Users that may be summed, because each cohort has other users. */
const overCohorts = new Set(['users_of_cohort', 'active_users_of_cohort']);

/** The semantic model and the metrics of a view; undefined for a view without figures over time. */
export function semanticsOf(
  view: Relation,
): { readonly model: object; readonly metrics: object[] } | undefined {
  const grain = grains[view.name];
  if (view.schema !== 'bi' || grain === undefined) return undefined;
  const figures = figuresOf(view, grain);
  if (view.name !== 'users' && (grain.time === undefined || figures.length === 0)) return undefined;
  return {
    model: {
      name: view.name,
      model: `ref('${view.name}')`,
      description: view.comment,
      ...(grain.time === undefined ? {} : { defaults: { agg_time_dimension: grain.time.column } }),
      ...entitiesOf(view),
      dimensions: dimensionsOf(view, grain),
      ...(figures.length === 0 ? {} : { measures: figures.map((figure) => measure(figure)) }),
    },
    metrics: figures.map(metric),
  };
}

function figuresOf(view: Relation, grain: Grain): Figure[] {
  const figures = view.columns.flatMap((column): Figure[] => {
    const known = measureOf(view.name, column.name);
    if (known === undefined || grain.time === undefined) return [];
    const name = `${column.name}${grain.suffix ?? ''}`;
    const ways = overCohorts.has(name) ? [{ agg: 'sum' as const }] : aggregations(known, grain.time.column);
    return ways.map((way, at) => {
      const own = at === 0 ? name : `${name}_busiest_day`;
      const expr = own === column.name ? {} : { expr: column.name };
      return { name: own, description: column.comment, ...expr, ...way };
    });
  });
  return [...figures, ...(counted[view.name] ?? [])];
}

/** How a measure may be aggregated over days, weeks or months; empty when it may not. */
function aggregations({ overDays, unit }: Measure, time: string): Aggregation[] {
  if (overDays === 'sum') return [{ agg: 'sum' }];
  if (overDays === 'last') return [{ agg: 'sum', lastOf: time }];
  if (overDays === 'max') return [{ agg: 'sum', lastOf: time }, { agg: 'max' }];
  // Numbers of users cannot be summed over time, but can be shown for each day, week or month.
  return unit === 'users' ? [{ agg: 'sum', lastOf: time }] : [];
}

function measure({ name, agg, expr, lastOf, description }: Figure): object {
  return {
    name,
    description,
    agg,
    ...(expr === undefined ? {} : { expr }),
    ...(lastOf === undefined ? {} : { non_additive_dimension: { name: lastOf, window_choice: 'max' } }),
  };
}

function metric({ name, agg, lastOf, description }: Figure): object {
  const only = lastOf === undefined ? '' : ' Of the last day, week or month of each period.';
  const highest = agg === 'max' ? ' The highest day; ask for one organization.' : '';
  return {
    name,
    label: labelOf(name),
    description: `${description}${only}${highest}`,
    type: 'simple',
    type_params: { measure: name },
  };
}

/** The label of a metric's name, such as `MCP calls` for `mcp_calls`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/\bmcp\b/g, 'MCP')
    .replaceAll(/\bprs\b/g, 'PRs');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function entitiesOf(view: Relation): object {
  const hasUser = view.columns.some(({ name }) => name === 'user_id');
  if (view.name === 'users') return { entities: [{ name: 'user', type: 'primary', expr: oneUser }] };
  return {
    primary_entity: view.name,
    ...(hasUser ? { entities: [{ name: 'user', type: 'foreign', expr: oneUser }] } : {}),
  };
}

/** All columns except figures and surrogate keys. */
function dimensionsOf(view: Relation, grain: Grain): object[] {
  return view.columns.flatMap(({ name, type, comment }: Column): object[] => {
    const isFigure = measureOf(view.name, name) !== undefined;
    if (isFigure || name.endsWith('_key') || type.endsWith('[]') || type === 'jsonb') return [];
    const timed = type === 'date' || type.startsWith('timestamp');
    const granularity = grain.time?.column === name ? grain.time.granularity : 'day';
    return [
      {
        name,
        description: comment,
        ...(timed
          ? { type: 'time', type_params: { time_granularity: granularity } }
          : { type: 'categorical' }),
      },
    ];
  });
}
