/** Tables of the star schema as data: what flattener and loader need to know about them, and nothing else does. */
import type { SqlType } from './fields.ts';

/** Where an entry stands: its place in its list, from 0, and the entry that the list belongs to. */
export interface At {
  readonly index: number;
  readonly above: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Makes a value of others (see `derivations.ts`). Gets what was read from the fields of the column; a list of entries
 * comes as an iterable. Gives null or undefined where there is no value, and never throws.
 */
export type Derive = (values: readonly unknown[], at: At) => unknown;

/** How a column finds its value in an entry. */
interface Reads {
  readonly column: string;
  /**
   * Fields of the entry. `a.b` is the field `b` of the object `a`. An entry of a list of texts has the field `value`, an
   * entry of a map `key`, and `value` unless it is an object.
   */
  readonly fields: readonly string[];
  /** Absent: the value of the one field as it is; for a reference those of all fields. */
  readonly derive?: Derive;
}

/** A column that holds what it reads. */
export interface Value extends Reads {
  /** Absent: the type that the field's kind says. */
  readonly type?: SqlType;
  /** What becomes of it when the same key comes twice: both are added up, or the last stays. */
  readonly whenTwice: 'sum' | 'last';
  /** Whether it holds a text that not everybody may keep (`SESSION_TEXT`). */
  readonly isPrivate?: boolean;
}

/** A column that holds the surrogate key of what it reads, the natural key of a dimension. */
export interface Reference extends Reads {
  readonly dimension: Dimension;
}

/** A column of a table. Measures, attributes and references are all columns. */
export type Column = Value | Reference;

/** A value whose type is known. */
export type TypedValue = Value & { readonly type: SqlType };

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
  /** Columns that follow what slices report (see `attributes.ts` in `warehouse/load`). */
  readonly attributes: readonly Attribute[];
}

/**
 * A column of a dimension. An entry whose own key names a row of the dimension reports all attributes whose fields it
 * has.
 */
export interface Attribute extends TypedValue {
  /** `reported`: the newest report that has a value stays (an e-mail). `seen`: the newest report, null included. */
  readonly follows: 'reported' | 'seen';
  /** Whether it is an e-mail address, which not everybody may store. */
  readonly isEmail?: boolean;
}

/**
 * A fact or bridge table, and what feeds it. Its primary key is `org_key`, the scope of the slice, the keys of the
 * tables above it, then its own; of a key that is text the generated column `<column>_digest` in its place.
 */
export interface Table {
  /** Table in schema `warehouse`. */
  readonly name: string;
  /** Its own. The keys above it are inherited, values as well as references. */
  readonly keys: readonly Column[];
  /** All others; they may be null. */
  readonly columns: readonly Column[];
  readonly below: readonly Below[];
  readonly vanished: Vanished;
}

/** A breakdown: what becomes rows of a table below. */
export interface Below {
  /** One field with a list of objects, a list of texts or a map; or several lists of objects side by side. */
  readonly fields: readonly string[];
  readonly table: Table;
  /** Whether its absence means that there are no rows. Else it is drift, and rows stay as they are. */
  readonly mayBeAbsent: boolean;
}

/**
 * What becomes of rows that did not come again: deleted; or kept with all rows below them, and flagged by these values,
 * which a row that comes back has the other way round.
 */
export type Vanished = 'delete' | Readonly<Record<string, boolean>>;

/** A table as it is stored: inherited keys included, types known. */
export interface StoredTable {
  readonly name: string;
  readonly keys: readonly (Reference | TypedValue)[];
  /** References that are no keys; they may be null. */
  readonly references: readonly Reference[];
  /** Values that are no keys; they may be null. */
  readonly values: readonly TypedValue[];
  readonly vanished: Vanished;
}

/** Separates the parts of a natural key. */
export const partSeparator = '\0';

/** Whether a column holds a surrogate key. */
export function isReference(column: Column): column is Reference {
  return 'dimension' in column;
}

/** The columns of a table whose values travel as numbers of names: keys first, then references. */
export function namedColumns({ keys, references }: StoredTable): readonly (Reference | TypedValue)[] {
  return [...keys, ...references];
}

/** A reference to `dimension`, read from `fields` (as many as the natural key has parts). */
export function reference(
  dimension: Dimension,
  fields: readonly string[],
  column = dimension.key,
): Reference {
  return { column, dimension, fields };
}

/** Columns named as their fields, or `{column: field}` where the name differs. */
type ColumnNames = readonly (string | Readonly<Record<string, string>>)[];

/** Figures that may be summed over rows. */
export function additive(...names: ColumnNames): Value[] {
  return columnsOf(names, 'sum');
}

/** Everything else: texts, times, and figures that must not be summed, such as averages and distinct users. */
export function values(...names: ColumnNames): Value[] {
  return columnsOf(names, 'last');
}

/** A column that is made of several fields, or of the place of its entry. */
export function derived(column: string, type: SqlType, fields: readonly string[], derive: Derive): Value {
  return { column, type, fields, derive, whenTwice: 'last' };
}

/** A count that is made of several fields; it may be summed over rows. */
export function counted(column: string, fields: readonly string[], derive: Derive): Value {
  return { ...derived(column, 'bigint', fields, derive), whenTwice: 'sum' };
}

/** The same column, said to hold a text that not everybody may keep. */
export function privately(value: Value): Value {
  return { ...value, isPrivate: true };
}

function columnsOf(names: ColumnNames, whenTwice: Value['whenTwice']): Value[] {
  return names
    .flatMap((name) => (typeof name === 'string' ? [[name, name] as const] : Object.entries(name)))
    .map(([column, field]) => ({ column, fields: [field], whenTwice }));
}

/** Defines a table; what is left out is empty. */
export function table(name: string, parts: Partial<Omit<Table, 'name'>>): Table {
  return { name, keys: [], columns: [], below: [], vanished: 'delete', ...parts };
}

/** Says that the entries of a breakdown, or of lists side by side, become rows of `table`. */
export function rowsOf(
  fields: string | readonly string[],
  table: Table,
  { mayBeAbsent = false } = {},
): Below {
  return { fields: typeof fields === 'string' ? [fields] : fields, table, mayBeAbsent };
}
