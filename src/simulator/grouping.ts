/** Makes the flat rows of `group_by` from the nested rows (platform-api.md §4.2). */

/** The only value of `group_by`, by endpoint; other endpoints have none. */
export const groupings: Readonly<Record<string, string>> = {
  tokens: 'model',
  tools: 'tool_name',
  activity: 'client',
};

const tokenMeasures = ['billable_tokens', 'input_tokens', 'output_tokens'] as const;

/**
 * Flattens the breakdown of each row into one row per day and group. All tiers of a model are one group, because
 * `group_key` is the model id. A row without the breakdown gives no rows. Throws `RangeError` for an endpoint without
 * `group_by`.
 */
export function groupRows(endpoint: string, rows: readonly unknown[]): unknown[] {
  if (endpoint === 'tokens') return rows.flatMap(groupByModel);
  if (endpoint === 'tools')
    return rows.flatMap((row) =>
      itemsOf(row, 'by_tool').map((item) => ({
        date: property(row, 'date'),
        group_key: property(item, 'tool'),
        tool_calls: property(item, 'invocations'),
      })),
    );
  if (endpoint === 'activity')
    return rows.flatMap((row) =>
      Object.entries(property(row, 'daily_active_users_by_client') ?? {}).map(([client, users]) => ({
        date: property(row, 'date'),
        group_key: client,
        daily_active_users: users,
      })),
    );
  throw new RangeError(
    `expected an endpoint with group_by (${Object.keys(groupings).join(', ')}), got ${JSON.stringify(endpoint)}`,
  );
}

function groupByModel(row: unknown): unknown[] {
  const byModel = Map.groupBy(itemsOf(row, 'by_model'), (item) => property(item, 'model_id'));
  return Array.from(byModel, ([model, items]) => ({
    date: property(row, 'date'),
    group_key: model,
    ...Object.fromEntries(
      tokenMeasures.map((measure) => [
        measure,
        exactSum(items.map((item) => Number(property(item, measure)))),
      ]),
    ),
  }));
}

/** The sum of credits. They have two decimals, so hundredths are summed to keep the sum exact. */
function exactSum(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + Math.round(value * 100), 0) / 100;
}

function itemsOf(row: unknown, name: string): unknown[] {
  const items = property(row, name);
  return Array.isArray(items) ? items : [];
}

function property(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.getOwnPropertyDescriptor(value, name)?.value;
}
