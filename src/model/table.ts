/** Tables of the star schema as data, for the flattener and the loader. */
import type { SqlType } from './field-kind.ts';

/** The position of an entry: its index in its list, and its parent entry. */
export interface EntryPosition {
  readonly index: number;
  readonly above: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Computes a column's value from the values of its fields (see `derivations.ts`); a list of entries is passed as an
 * iterable. Returns null or undefined for no value, and never throws.
 */
export type Derive = (values: readonly unknown[], at: EntryPosition) => unknown;

/** How a column reads its value from an entry. */
interface Reads {
  readonly column: string;
  /**
   * Fields of the entry; `a.b` is the field `b` of the object `a`. An entry of a list of texts has the field `value`;
   * an entry of a map has `key`, and `value` unless it is an object.
   */
  readonly fields: readonly string[];
  /** Default: the value is that of the only field; a reference joins the values of all its fields. */
  readonly derive?: Derive;
}

/** A column that stores the value that it reads. */
export interface Value extends Reads {
  /** The type of the column; default: that of the field's kind. */
  readonly type?: SqlType;
  /** What happens when a key appears twice: values are summed, or the last one stays. */
  readonly whenDuplicate: 'sum' | 'last';
  /** Whether it holds a private text (`SESSION_TEXT`). */
  readonly isPrivate?: boolean;
}

/** A column that stores a surrogate key; its fields hold the natural key of a dimension. */
export interface Reference extends Reads {
  readonly dimension: Dimension;
}

/** A column of a table. Measures, attributes and references are all columns. */
export type Column = Value | Reference;

/** A column of values whose type is known. */
export type TypedValue = Value & { readonly type: SqlType };

/**
 * A dimension. A natural key gets its surrogate key once and keeps it. The program passes a natural key as one string:
 * its parts joined by NUL, which no stored text contains.
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
  /** Columns that slices update (see `attributes.ts` in `warehouse/load`). */
  readonly attributes: readonly Attribute[];
}

/**
 * A column of a dimension. An entry whose own key refers to the dimension updates each attribute for which it has the
 * fields.
 */
export interface Attribute extends TypedValue {
  /** Which value stays. `reported`: that of the newest report that has one. `seen`: that of the newest report, also null. */
  readonly follows: 'reported' | 'seen';
  /** Whether it is an e-mail address (`USER_EMAIL`). */
  readonly isEmail?: boolean;
}

/**
 * A fact or bridge table, and the fields that its columns read. Its primary key: `org_key`, the scope of the slice, the
 * keys of its parent tables, its own keys. A key that is a text is in the primary key as its digest, the generated
 * column `<column>_digest`.
 */
export interface Table {
  /** Table in schema `warehouse`. */
  readonly name: string;
  /** The table's own keys; those of its parent tables come before them. */
  readonly keys: readonly Column[];
  /** All other columns; they may be null. */
  readonly columns: readonly Column[];
  readonly below: readonly Breakdown[];
  readonly vanished: Vanished;
}

/** A breakdown: fields whose entries become rows of a child table. */
export interface Breakdown {
  /** One field with a list of objects, a list of texts or a map; or several parallel lists of objects. */
  readonly fields: readonly string[];
  readonly table: Table;
  /** Whether a missing breakdown means no rows. If not, a missing breakdown is drift, and the stored rows stay. */
  readonly mayBeAbsent: boolean;
}

/**
 * What happens to rows that are no longer reported: they are deleted; or they are kept, with all rows below them, and
 * flagged by the values of these columns. A row that is reported again gets the opposite values.
 */
export type Vanished = 'delete' | Readonly<Record<string, boolean>>;

/** A stored table: inherited keys included, types known. */
export interface StoredTable {
  readonly name: string;
  readonly keys: readonly (Reference | TypedValue)[];
  /** References outside of the key; they may be null. */
  readonly references: readonly Reference[];
  /** Values outside of the key; they may be null. */
  readonly values: readonly TypedValue[];
  readonly vanished: Vanished;
}

/** Separates the parts of a natural key. */
export const partSeparator = '\0';

/** Whether a column holds a surrogate key. */
export function isReference(column: Column): column is Reference {
  return 'dimension' in column;
}

/** The columns whose values the flattener passes as numbers of names (`packed-rows.ts`): keys, then references. */
export function namedColumns({ keys, references }: StoredTable): readonly (Reference | TypedValue)[] {
  return [...keys, ...references];
}

/** A reference to `dimension`, read from `fields`: one for each part of the natural key. */
export function reference(
  dimension: Dimension,
  fields: readonly string[],
  column = dimension.key,
): Reference {
  return { column, dimension, fields };
}

/** Names of columns whose field has the same name; `{column: field}` for a field with another name. */
type ColumnNames = readonly (string | Readonly<Record<string, string>>)[];

/** Figures that may be summed over rows. */
export function additive(...names: ColumnNames): Value[] {
  return columnsOf(names, 'sum');
}

/** Columns that must not be summed: texts, times, and figures such as averages and distinct users. */
export function values(...names: ColumnNames): Value[] {
  return columnsOf(names, 'last');
}

/** A column derived from several fields or from the entry's position. */
export function derived(column: string, type: SqlType, fields: readonly string[], derive: Derive): Value {
  return { column, type, fields, derive, whenDuplicate: 'last' };
}

/** A derived count; it may be summed over rows. */
export function derivedCount(column: string, fields: readonly string[], derive: Derive): Value {
  return { ...derived(column, 'bigint', fields, derive), whenDuplicate: 'sum' };
}

/** Marks a column as private text (`SESSION_TEXT`). */
export function privately(value: Value): Value {
  return { ...value, isPrivate: true };
}

function columnsOf(names: ColumnNames, whenDuplicate: Value['whenDuplicate']): Value[] {
  return names
    .flatMap((name) => (typeof name === 'string' ? [[name, name] as const] : Object.entries(name)))
    .map(([column, field]) => ({ column, fields: [field], whenDuplicate }));
}

/** Defines a table; omitted parts are empty. */
export function table(name: string, parts: Partial<Omit<Table, 'name'>>): Table {
  return { name, keys: [], columns: [], below: [], vanished: 'delete', ...parts };
}

/** Declares that the entries of the breakdown in `fields` become rows of `table`; several fields are parallel lists. */
export function rowsOf(
  fields: string | readonly string[],
  table: Table,
  { mayBeAbsent = false } = {},
): Breakdown {
  return { fields: typeof fields === 'string' ? [fields] : fields, table, mayBeAbsent };
}
