/** What the pipeline must know of an endpoint, and of a slice. */

import type { z } from 'zod';
import type { Day } from './day.ts';
import type { Grouping } from './grouping.ts';
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

/** A slice of a source whose slices are days. */
export interface DailySlice extends Slice {
  readonly usageDate: Day;
}

/** Column names and values, in the order of the columns in the primary keys. */
export type Scope = Readonly<Record<string, string>>;

/** How a daily source is asked. */
export type Reading =
  /** One request for many days; each row says its day. */
  | 'window'
  /** One series of pages for each day. */
  | 'pages';

/** An endpoint whose slices are UTC days. */
export interface DailySource {
  readonly name: string;
  /** Path below the analytics base. */
  readonly path: string;
  readonly slicing: { readonly by: 'day'; readonly reading: Reading; readonly dayField: string };
  /** The same identity twice in one payload: are figures summed, or does the row seen last win? */
  readonly duplicates: Duplicates;
  /** A whole record, breakdowns included. */
  readonly schema: z.ZodObject;
  /** The table that holds a row of each record, and those below it. */
  readonly root: Table;
  /** How the platform tells the same figures once more, by group; undefined where it does not. */
  readonly grouping?: Grouping;
  /** Digest of what turns its records into rows: other code makes known answers unknown. */
  readonly version: string;
  /** A figure of another source whose being 0 says that this one has nothing for the day. */
  readonly nothingWhere?: { readonly table: Table; readonly column: string };
}

/** The slice of a daily source for one day. */
export function dailySlice(source: DailySource, day: Day): DailySlice {
  return { endpoint: source.name, key: day, scope: { usage_date: day }, usageDate: day };
}
