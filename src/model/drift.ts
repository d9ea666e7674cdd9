/** What came and was not as expected. */

/** A part of a payload that could not be loaded, as it is kept. */
export interface Rejection {
  /** Where it stood, such as `by_user[].by_model[]`; empty for the row itself. */
  readonly path: string;
  /** What was expected and what came; is sanitized. */
  readonly reason: string;
  /** JSON text without secrets. */
  readonly payload: string;
}

/** What could not be loaded of a slice. */
export interface RejectedRecords {
  /** All of it. */
  readonly count: number;
  readonly kept: readonly Rejection[];
}

/** The kinds of drift that `etl.drift` counts. */
export type DriftKind =
  | 'unknown_field'
  | 'missing_field'
  | 'duplicate_key'
  | 'replaced_character'
  | 'contradiction'
  | 'shrunk';

/** Something unexpected in a payload that did not prevent loading. */
export interface Drift {
  readonly path: string;
  readonly kind: DriftKind;
  /** Made only where it is shown. */
  readonly example: () => string;
}

/** One kind of drift at one path. Path and example are sanitized. */
export interface CountedDrift {
  readonly path: string;
  readonly kind: DriftKind;
  readonly example: string;
  readonly occurrences: number;
}
