/** The result of flattening: rows per table, and everything unexpected. */
import type { Drift } from '../model/drift.ts';
import type { Attribute, Dimension } from '../model/table.ts';

/** One table row. */
export interface FlatRow {
  /** The `namedColumns` of the table: natural keys, and texts of keys that are values; null for no value. */
  readonly keys: readonly (string | null)[];
  /** The values in the order of the table, as `row-text.ts` writes them. */
  readonly values: string;
}

/** Stored rows that must stay, because their source is missing from the payload or unreadable. */
export interface KeptRows {
  /** Index into `Flatten.tables`. */
  readonly table: number;
  /** The leading keys of these rows, as in `FlatRow.keys`. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** Receives the result of flattening row by row; a list of all rows would take memory. */
export interface RecordSink {
  /**
   * A row of the table with this index in `Flatten.tables`. The record's own row comes first, then the rows below it.
   * Returns false when it cannot be added to an earlier row with the same key.
   */
  row(table: number, keys: FlatRow['keys'], values: string): boolean;
  /** Rows that stay, unless a later record replaces the present one. */
  kept(rows: KeptRows): void;
  /** Rows that stay, whatever later records say. */
  keptForGood(rows: KeptRows): void;
  /** A reported attribute of a dimension row, as text; null for no value. */
  observed(dimension: Dimension, attribute: Attribute, naturalKey: string, value: string | null): void;
  /** A rejected part of the payload. `reason` is called only when it is kept. */
  rejected(path: string, reason: () => string, payload: unknown): void;
  drifted(drift: Drift): void;
}
