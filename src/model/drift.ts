/** What came and was not as expected. */

/** A part of a payload that could not be loaded. */
export interface Rejection {
  /** Where it stood, such as `by_user[].by_model[]`; empty for the row itself. */
  readonly path: string;
  /** What was expected and what came. */
  readonly reason: string;
  readonly payload: unknown;
}

/** The kinds of surprise that `etl.drift` counts. */
export type DriftKind = 'unknown_field' | 'missing_field' | 'duplicate_key' | 'replaced_character' | 'shrunk';

/** Something unexpected in a payload that did not prevent loading. */
export interface Drift {
  readonly path: string;
  readonly kind: DriftKind;
  readonly example: string;
}

/** One kind of surprise at one path. */
export interface CountedDrift extends Drift {
  readonly occurrences: number;
}
