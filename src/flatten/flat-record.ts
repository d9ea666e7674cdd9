/** What payload rows become: rows per table, and everything about them that was not as expected. */
import type { Drift, Rejection } from '../model/drift.ts';
import type { Dimension } from '../model/table.ts';

/** One table row. */
export interface FlatRow {
  /** Natural keys in the order of `referencesOf(table)`; null where an attribute has no value. */
  readonly keys: readonly (string | null)[];
  /** The measures in the order of the table, as `writeFigures` writes them: once, for fingerprint and load. */
  readonly figures: string;
}

/** Rows of a table that stay as they are, because the payload lacks what feeds them, or it cannot be read. */
export interface KeptRows {
  /** Index into `Flatten.tables`. */
  readonly table: number;
  /** The leading keys of the rows to keep, as natural keys. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** Takes what payload rows become, piece by piece: held together, they would outlive the garbage collector's first look. */
export interface RecordSink {
  /** A row of a table, by its index in `Flatten.tables`; that of the payload row itself comes before those below it. */
  row(table: number, keys: FlatRow['keys'], figures: FlatRow['figures']): void;
  /** Rows that stay, unless the record at hand is replaced by a later one. */
  kept(rows: KeptRows): void;
  /** Rows that stay, whatever comes. */
  keptForGood(rows: KeptRows): void;
  /** A dimension attribute as the payload row reports it. */
  observed(dimension: Dimension, naturalKey: string, value: string): void;
  rejected(rejection: Rejection): void;
  surprised(drift: Drift): void;
}
