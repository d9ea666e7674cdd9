/** What Grafana's data source for Postgres makes of macros and variables, before it sends a query. */

/** What is chosen at the top of a dashboard. */
export interface Chosen {
  /** Times as Grafana writes them: `2026-04-02T00:00:00Z`. */
  readonly from: string;
  readonly to: string;
  readonly organizations: readonly string[];
}

const seconds: Readonly<Record<string, number>> = { m: 60, h: 3600, d: 86_400, w: 604_800 };

/** The query that reaches Postgres; throws on a macro or variable that is not known here. */
export function expand(sql: string, { from, to, organizations }: Chosen): string {
  const group = (column: string, interval: string) => {
    const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(interval) ?? [];
    const length = Number(count) * (seconds[unit] ?? Number.NaN);
    if (Number.isNaN(length)) throw new Error(`expected an interval like 1d, found ${interval}`);
    return `floor(extract(epoch from ${column})/${length})*${length}`;
  };
  const expanded = sql
    .replaceAll(
      /\$__timeGroupAlias\((\w+),\s*'(\w+)'\)/g,
      (_, column, interval) => `${group(column, interval)} AS "time"`,
    )
    .replaceAll(/\$__timeGroup\((\w+),\s*'(\w+)'\)/g, (_, column, interval) => group(column, interval))
    .replaceAll(/\$__timeFilter\((\w+)\)/g, (_, column) => `${column} BETWEEN '${from}' AND '${to}'`)
    .replaceAll(/\$__time\((\w+)\)/g, (_, column) => `${column} AS "time"`)
    .replaceAll(/\$org\b/g, organizations.map((name) => `'${name.replaceAll("'", "''")}'`).join(','));
  const [unknown] = expanded.match(/\$\w+/) ?? [];
  if (unknown !== undefined)
    throw new Error(`expected only macros that are known here, found ${unknown} in:\n${sql}`);
  return expanded;
}
