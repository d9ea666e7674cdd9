/** What the pipeline must know of a source, and of a slice. */
import type { z } from 'zod';
import type { Day } from './day.ts';
import type { Grouping } from './grouping.ts';
import type { AnswerMeta, Partitioning, Scope, ScopeColumns } from './partitioning.ts';
import type { PathVariable, SourceSettings } from './source-settings.ts';
import type { Table } from './table.ts';

/** What is done about a key that comes again: rows are added up, or the later record replaces the earlier one. */
export type Duplicates = 'sum' | 'last';

/**
 * The unit of everything: what is fetched, compared, loaded, recorded and retried as one. A slice replaces, in
 * every table of its source, the rows of its organization whose scope columns have these values. For the daily
 * endpoints that is one `usage_date`; a source without scope columns replaces its whole table.
 */
export interface Slice {
  /** Name of the source, as the ledger has it. */
  readonly endpoint: string;
  /** Identifies the slice within its source, such as `2026-01-14`. */
  readonly key: string;
  readonly scope: Scope;
  /** The UTC day that the slice speaks of; null for a source that has none. */
  readonly usageDate: Day | null;
}

/** How an answer is built: an object with records in one field, and what is said of them in another. */
export interface Envelope {
  /** The field whose array holds the records. */
  readonly records: string;
  /** The field with what is said of them, and what that means. */
  readonly meta?: { readonly field: string; readonly schema: z.ZodType<AnswerMeta> };
}

/** Something of the platform that becomes rows of the warehouse. */
export interface Source extends SourceSettings {
  /**
   * Whether a platform may do without it: a 403 or 404 from it is a warning and not a failure, unless somebody says that
   * it must work (`SOURCES`, `--endpoints`).
   */
  readonly isOptional?: boolean;
  /** The setting that names another path for it than the documented one. */
  readonly pathVariable?: PathVariable;
  readonly envelope: Envelope;
  readonly partitioning: Partitioning;
  /** The same identity twice in one slice: are figures summed, or does the record seen last win? */
  readonly duplicates: Duplicates;
  /** A whole record, breakdowns included. */
  readonly schema: z.ZodObject;
  /** The table that holds a row of each record, and those below it. */
  readonly root: Table;
  /** How the platform tells the same figures once more, by group; undefined where it does not. */
  readonly grouping?: Grouping;
  /** Whether its records hold texts that not everybody may keep (`SESSION_TEXT`); its schema and columns say which. */
  readonly hasPrivateTexts?: boolean;
  /** Digest of what turns its records into rows: other code makes known answers unknown. */
  readonly version: string;
  /** Figures of another source that say, when all are 0, that this one has nothing for the day. */
  readonly nothingWhere?: { readonly table: Table; readonly columns: readonly string[] };
  /** The figure of another source that says how many records this one has for a day. */
  readonly recordsOfDay?: { readonly table: Table; readonly column: string };
}

/** Slices that one series of requests brings: the smallest thing that is asked again. */
export interface Read {
  readonly source: Source;
  /** In the order of their keys. */
  readonly slices: readonly [Slice, ...Slice[]];
}

/** The slice of a source with this key. Throws `RangeError` when no slice can have it. */
export function sliceOf({ name, partitioning }: Source, key: string): Slice {
  if (!partitioning.isKey(key))
    throw new RangeError(`${name}: expected the key of a slice, got ${JSON.stringify(key)}`);
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

/** A read of slices with these keys; undefined when there is none. */
export function readOf(source: Source, keys: readonly string[]): Read | undefined {
  const [first, ...others] = keys.map((key) => sliceOf(source, key));
  return first === undefined ? undefined : { source, slices: [first, ...others] };
}

/** Splits a read that was too large for the platform into two; undefined when it is a single slice. */
export function splitRead({ source, slices }: Read): readonly Read[] | undefined {
  if (slices.length < 2) return undefined;
  const keys = slices.map(({ key }) => key);
  const middle = Math.ceil(keys.length / 2);
  return [keys.slice(0, middle), keys.slice(middle)].flatMap((half) => readOf(source, half) ?? []);
}
