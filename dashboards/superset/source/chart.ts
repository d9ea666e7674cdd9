/** What a chart is, and what all kinds of charts have in common. */

/** A chart: what it shows of which dataset, and how. */
export interface Chart {
  readonly name: string;
  readonly description: string;
  /** The name of a view or of a select. */
  readonly dataset: string;
  readonly vizType: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What every kind of chart may be given. */
export interface Common {
  readonly description?: string;
  /** A column by which the range of days of the dashboard cuts this chart; none: the range leaves it alone. */
  readonly days?: string;
  /** A condition in SQL. */
  readonly where?: string;
}

function filters({ days, where }: Common): unknown[] {
  return [
    ...(days === undefined
      ? []
      : [
          {
            clause: 'WHERE',
            expressionType: 'SIMPLE',
            subject: days,
            operator: 'TEMPORAL_RANGE',
            comparator: 'No filter',
          },
        ]),
    ...(where === undefined ? [] : [{ clause: 'WHERE', expressionType: 'SQL', sqlExpression: where }]),
  ];
}

/** A chart, as Superset's form for its kind would save it. */
export function chart(
  name: string,
  dataset: string,
  vizType: string,
  common: Common,
  params: Readonly<Record<string, unknown>>,
): Chart {
  return {
    name,
    dataset,
    vizType,
    description: common.description ?? '',
    params: { viz_type: vizType, adhoc_filters: filters(common), ...params },
  };
}
