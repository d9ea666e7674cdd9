/** What payload rows become: rows per table, and everything about them that was not as expected. */
import type { Drift } from '../model/drift.ts';
import type { Attribute, Dimension } from '../model/table.ts';

/** One table row. */
export interface FlatRow {
  /** What the `namedColumns` of the table hold: natural keys, and the texts of keys that are values; null without. */
  readonly keys: readonly (string | null)[];
  /** The values in the order of the table, as `row-text.ts` writes them. */
  readonly values: string;
}

/** Rows of a table that must stay as they are: what feeds them is missing from the payload, or cannot be read. */
export interface KeptRows {
  /** Index into `Flatten.tables`. */
  readonly table: number;
  /** The leading keys of the rows to keep, as in `FlatRow.keys`. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** Takes what a record becomes, row by row. A list of all its rows would only cost memory. */
export interface RecordSink {
  /**
   * A row of a table, by its index in `Flatten.tables`. The record's own row comes first, those below it after it. False
   * when it cannot be added to an earlier one of the same key.
   */
  row(table: number, keys: FlatRow['keys'], values: string): boolean;
  /** Rows that stay. When a later record replaces the present one, this is forgotten. */
  kept(rows: KeptRows): void;
  /** Rows that stay, whichever record comes later. */
  keptForGood(rows: KeptRows): void;
  /** An attribute of a dimension's row as an entry reports it, as text; null where it has none. */
  observed(dimension: Dimension, attribute: Attribute, naturalKey: string, value: string | null): void;
  /** A part of the payload that cannot be loaded. The reason is asked for only where it is kept. */
  rejected(path: string, reason: () => string, payload: unknown): void;
  drifted(drift: Drift): void;
}
