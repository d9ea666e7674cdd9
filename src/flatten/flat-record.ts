/** What payload rows become: rows per table, and everything about them that was not as expected. */
import type { Drift, Rejection } from '../model/drift.ts';
import type { Dimension } from '../model/table.ts';

/** One table row. */
export interface FlatRow {
  /** Natural keys in the order of `referencesOf(table)`; null where an attribute has no value. */
  readonly keys: readonly (string | null)[];
  /** The measures in the order of the table, as `writeFigures` writes them. Content hash and load use the same text. */
  readonly figures: string;
}

/** Rows of a table that must stay as they are: what feeds them is missing from the payload, or cannot be read. */
export interface KeptRows {
  /** Index into `Flatten.tables`. */
  readonly table: number;
  /** The leading keys of the rows to keep, as natural keys. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** Takes what a record becomes, row by row. A list of all its rows would only cost memory. */
export interface RecordSink {
  /**
   * A row of a table, by its index in `Flatten.tables`. The record's own row comes first, those below it after it. False
   * when it cannot be added to an earlier one of the same key.
   */
  row(table: number, keys: FlatRow['keys'], figures: FlatRow['figures']): boolean;
  /** Rows that stay. When a later record replaces the present one, this is forgotten. */
  kept(rows: KeptRows): void;
  /** Rows that stay, whichever record comes later. */
  keptForGood(rows: KeptRows): void;
  /** A dimension attribute as the payload row reports it. */
  observed(dimension: Dimension, naturalKey: string, value: string): void;
  rejected(rejection: Rejection): void;
  surprised(drift: Drift): void;
}
