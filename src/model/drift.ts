/** Rejected records and drift. */

/** A rejected part of a payload, as the quarantine keeps it. */
export interface Rejection {
  /** Path of the part, such as `by_user[].by_model[]`; empty when the whole record was rejected. */
  readonly path: string;
  /** Expected and actual value, sanitized. */
  readonly reason: string;
  /** JSON text without secrets. */
  readonly payload: string;
}

/** The rejected records of a slice. */
export interface RejectedRecords {
  /** Number of all rejected records; `kept` may have fewer. */
  readonly count: number;
  readonly kept: readonly Rejection[];
}

/** The kinds of drift that `etl.drift` counts. */
export const driftKinds = [
  'unknown_field',
  'missing_field',
  'duplicate_key',
  'replaced_character',
  'contradiction',
  'shrunk',
] as const;
export type DriftKind = (typeof driftKinds)[number];

/** Something unexpected in a payload that did not prevent loading. */
export interface Drift {
  readonly path: string;
  readonly kind: DriftKind;
  /** A function, because most examples are never shown. */
  readonly example: () => string;
}

/** One kind of drift at one path. Path and example are sanitized. */
export interface CountedDrift extends Omit<Drift, 'example'> {
  readonly example: string;
  readonly occurrences: number;
}
