/** What one payload row becomes: rows per table, and everything about it that was not as expected. */
import type { Reference } from './table.ts';

/** One table row. */
export interface FlatRow {
  /** Natural keys in the order of `referencesOf(table)`; null where an attribute has no value. */
  readonly keys: readonly (string | null)[];
  /** The measures in the order of the table, as `writeFigures` writes them: once, for fingerprint and load. */
  readonly figures: string;
}

/** A part of a payload that could not be loaded. */
export interface Rejection {
  /** Where it stood, such as `by_user[].by_model[]`; empty for the row itself. */
  readonly path: string;
  /** What was expected and what came. */
  readonly reason: string;
  readonly payload: unknown;
}

/** The kinds of surprise that `etl.drift` counts. */
export type DriftKind =
  | 'unknown_field'
  | 'missing_field'
  | 'duplicate_key'
  | 'replaced_character'
  | 'emptied_slice';

/** Something unexpected in a payload that did not prevent loading. */
export interface Drift {
  readonly path: string;
  readonly kind: DriftKind;
  readonly example: string;
}

/** Rows of a table that stay as they are, because the payload lacks the breakdown that feeds them. */
export interface KeptRows {
  /** Index into `Flatten.tables`. */
  readonly table: number;
  /** Natural keys of the row that lacks the breakdown: the leading keys of the rows to keep. Empty: all rows. */
  readonly leadingKeys: readonly string[];
}

/** A dimension attribute as this row reports it. */
export interface Observation {
  readonly reference: Reference;
  readonly naturalKey: string;
  readonly value: string;
}

/** What one payload row becomes. */
export interface FlatRecord {
  /** Rows per table, in the order of `Flatten.tables`. */
  readonly rows: FlatRow[][];
  readonly kept: KeptRows[];
  readonly observations: Observation[];
  readonly rejected: Rejection[];
  readonly drift: Drift[];
}
