/** Tables of the star schema as data: what the loader needs to know about them, and nothing else does. */

/**
 * A dimension: natural keys get a surrogate key once, and keep it. The natural key travels as one string, its
 * parts joined by NUL, which no stored text holds.
 */
export interface Dimension {
  /** Table in schema `warehouse`. */
  readonly table: string;
  /** Column of the surrogate key. */
  readonly key: string;
  /** Columns of the natural key, in order. */
  readonly naturalKey: readonly string[];
  /** Whether the natural key is unique within an organization only. */
  readonly perOrganization: boolean;
  /** A column that is refreshed from the latest usage date that reports it (see `latest-attribute.ts`). */
  readonly latestAttribute?: string;
}

/** A column of a fact that points at a dimension. */
export interface Reference {
  readonly column: string;
  readonly dimension: Dimension;
  /** Payload fields that hold the parts of the natural key. */
  readonly fields: readonly string[];
}

/** A column of a fact that holds a figure. */
export interface Measure {
  readonly column: string;
  /** Payload field; `value` for entries of a map. */
  readonly field: string;
  /** What happens when the same key comes twice in one payload: additive figures are summed, else the last stays. */
  readonly additive: boolean;
}

/** A fact or bridge table. Its primary key is `org_key`, the scope of the slice, then `keys`. */
export interface TableDefinition {
  /** Table in schema `warehouse`. */
  readonly name: string;
  /** References that are part of the primary key. A breakdown's keys begin with those of the row it belongs to. */
  readonly keys: readonly Reference[];
  /** References that describe the row; they may be null. */
  readonly attributes: readonly Reference[];
  readonly measures: readonly Measure[];
}

/** Separates the parts of a natural key. */
export const partSeparator = '\0';

/** All references of a table in the order of a flat row's values: keys first, then attributes. */
export function referencesOf(table: TableDefinition): readonly Reference[] {
  return [...table.keys, ...table.attributes];
}

/** A reference to `dimension`, read from `fields` (as many as the natural key has parts). */
export function reference(
  dimension: Dimension,
  fields: readonly string[],
  column = dimension.key,
): Reference {
  return { column, dimension, fields };
}

/** Measures that may be summed over rows, named as in the payload, or `{column: field}` where the name differs. */
export function additive(...names: (string | Record<string, string>)[]): Measure[] {
  return measures(names, true);
}

/** Measures that must not be summed: distinct users, averages, percentiles, shares. */
export function nonAdditive(...names: (string | Record<string, string>)[]): Measure[] {
  return measures(names, false);
}

function measures(names: readonly (string | Record<string, string>)[], isAdditive: boolean): Measure[] {
  return names
    .flatMap((name) => (typeof name === 'string' ? [[name, name] as const] : Object.entries(name)))
    .map(([column, field]) => ({ column, field, additive: isAdditive }));
}

/** Defines a table; what is left out is empty. */
export function table(
  name: string,
  columns: { keys?: readonly Reference[]; attributes?: readonly Reference[]; measures?: readonly Measure[] },
): TableDefinition {
  return {
    name,
    keys: columns.keys ?? [],
    attributes: columns.attributes ?? [],
    measures: columns.measures ?? [],
  };
}

/** A table fed by a breakdown, and the tables fed by breakdowns inside its entries. */
export interface BreakdownTable {
  readonly table: TableDefinition;
  readonly breakdowns: Readonly<Record<string, BreakdownTable>>;
}

/** Says that the entries of a breakdown become rows of `table`. */
export function rowsOf(
  table: TableDefinition,
  breakdowns: Readonly<Record<string, BreakdownTable>> = {},
): BreakdownTable {
  return { table, breakdowns };
}
