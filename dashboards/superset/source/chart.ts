/** Charts, and the common options of all kinds. */

/** A chart of a dataset. */
export interface Chart {
  readonly name: string;
  readonly description: string;
  /** Name of a view or select. */
  readonly dataset: string;
  readonly vizType: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Common options of charts. */
export interface Common {
  readonly description?: string;
  /** Column for the dashboard's range of days; without one, the range does not apply. */
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

/** A chart, as Superset saves it. */
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
