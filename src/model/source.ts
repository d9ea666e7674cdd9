/** Sources, slices, and reads of several slices. */
import type { z } from 'zod';
import type { Day } from './day.ts';
import type { Grouping } from './grouping.ts';
import type { AnswerMeta, Partitioning, Scope, ScopeColumns } from './partitioning.ts';
import type { PathVariable, SourceSettings } from './source-settings.ts';
import type { Table } from './table.ts';

/** What happens when a slice has the same key twice: rows are summed, or the later record replaces the earlier one. */
export type Duplicates = 'sum' | 'last';

/**
 * The unit of work: a slice is received, compared, loaded, recorded and retried as a whole. It replaces, in every table
 * of its source, those rows of its organization that have the values in `scope`: for daily endpoints the rows of one
 * `usage_date`; without scope columns all rows of the organization.
 */
export interface Slice {
  /** Name of the source, as the ledger has it. */
  readonly endpoint: string;
  /** The key of the slice within its source, such as `2026-01-14`. */
  readonly key: string;
  readonly scope: Scope;
  /** The UTC day of the slice; null when it has none. */
  readonly usageDate: Day | null;
}

/** The structure of an answer: an object with the records in one field and meta data in another. */
export interface Envelope {
  /** The field with the array of records. */
  readonly records: string;
  /** The field with the meta data, and its schema. */
  readonly meta?: { readonly field: string; readonly schema: z.ZodType<AnswerMeta> };
}

/** A source: data of the platform that becomes rows of the warehouse. */
export interface Source extends SourceSettings {
  /** Whether a 403 or 404 for the source is only a warning. It is a failure if `SOURCES` or `--endpoints` names the source. */
  readonly isOptional?: boolean;
  /** The setting for another path than the documented one. */
  readonly pathVariable?: PathVariable;
  readonly envelope: Envelope;
  readonly partitioning: Partitioning;
  /** What happens when a slice has the same key twice. */
  readonly duplicates: Duplicates;
  /** The schema of a record, breakdowns included. */
  readonly schema: z.ZodObject;
  /** The table with one row per record, and the tables below it. */
  readonly root: Table;
  /** The `group_by` request for the same figures; undefined when there is none. */
  readonly grouping?: Grouping;
  /** Whether its records hold private texts (`SESSION_TEXT`); schema and columns mark them. */
  readonly hasPrivateTexts?: boolean;
  /** Digest of the code that turns records into rows: after it changes, answers with known bytes are flattened again. */
  readonly version: string;
  /** Figures of another source: when all of them are 0 on a day, this source has no data for that day. */
  readonly nothingWhere?: { readonly table: Table; readonly columns: readonly string[] };
  /** A figure of another source that says how many records this source has for a day. */
  readonly recordsOfDay?: { readonly table: Table; readonly column: string };
}

/** Slices that are read by one series of requests: the smallest unit of a retry. */
export interface Read {
  readonly source: Source;
  /** The slices of the read, in the order of their keys. */
  readonly slices: readonly [Slice, ...Slice[]];
}

/** The slice with this key. Throws `RangeError` for an invalid key. */
export function sliceOf({ name, partitioning }: Source, key: string): Slice {
  if (!partitioning.isKey(key)) {
    const form = partitioning.kind === 'other' ? 'all, or the id of a parent' : 'a day as YYYY-MM-DD';
    throw new RangeError(`${name}: expected the key of a slice (${form}), got ${JSON.stringify(key)}`);
  }
  const usageDate = partitioning.dayOf(key);
  return {
    endpoint: name,
    key,
    scope: scopeOf(partitioning.scope, { usage_date: usageDate, slice_key: key }),
    usageDate,
  };
}

function scopeOf(
  columns: ScopeColumns,
  values: Readonly<Record<ScopeColumns[string], string | null>>,
): Scope {
  return Object.fromEntries(Object.entries(columns).map(([column, from]) => [column, values[from] ?? '']));
}

/** A read of these slices; undefined without keys. */
export function readOf(source: Source, keys: readonly string[]): Read | undefined {
  const [first, ...others] = keys.map((key) => sliceOf(source, key));
  return first === undefined ? undefined : { source, slices: [first, ...others] };
}

/** Splits a read that was too large for the platform into two; undefined for a read of a single slice. */
export function splitRead({ source, slices }: Read): readonly Read[] | undefined {
  if (slices.length < 2) return undefined;
  const keys = slices.map(({ key }) => key);
  const middle = Math.ceil(keys.length / 2);
  return [keys.slice(0, middle), keys.slice(middle)].flatMap((half) => readOf(source, half) ?? []);
}
