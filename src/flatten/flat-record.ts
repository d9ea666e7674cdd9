/** The result of flattening: rows per table, drift, and rejected parts. */
import type { Drift } from '../model/drift.ts';
import type { Attribute, Dimension } from '../model/table.ts';

/** One table row. */
export interface FlatRow {
  /** The names of the table's `namedColumns`: natural keys, and keys that are stored as text; null for no value. */
  readonly keys: readonly (string | null)[];
  /** The values in the order of the table, as `row-text.ts` writes them. */
  readonly values: string;
}

/** Stored rows that must stay, because their part of the payload is missing or cannot be read. */
export interface KeptRows {
  /** Index of the table in `Flatten.tables`. */
  readonly table: number;
  /** The leading keys of these rows, as in `FlatRow.keys`. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** Receives the result of flattening row by row, because a list of all rows would take too much memory. */
export interface RecordSink {
  /**
   * Called for each row; `table` is an index in `Flatten.tables`. The record's own row comes first, then the rows below
   * it. Returns false when the row cannot be added to an earlier row with the same key.
   */
  row(table: number, keys: FlatRow['keys'], values: string): boolean;
  /** Called for rows that stay unless a later record replaces the record that is flattened now. */
  kept(rows: KeptRows): void;
  /** Called for rows that stay whatever later records say. */
  keptForGood(rows: KeptRows): void;
  /** Called for an attribute of a dimension row that the record reports: its value as text, null for no value. */
  observed(dimension: Dimension, attribute: Attribute, naturalKey: string, value: string | null): void;
  /** Called for a rejected part of the payload. Calls `reason` only when the rejection is kept. */
  rejected(path: string, reason: () => string, payload: unknown): void;
  drifted(drift: Drift): void;
}
