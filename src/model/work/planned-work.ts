/** The work that a run plans before it begins. */
import type { Read } from '../source.ts';

/** The requests of a run that loads, with what is known before it begins. */
export interface PlannedRequests {
  readonly reads: readonly Read[];
  /** Known numbers of records by endpoint and key of the slice, also of slices that are not read. */
  readonly records: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly limits: {
    readonly requestsPerSecond: number;
    readonly maxConcurrency: number;
    /** Most records of a page. */
    readonly pageSize: number;
  };
  /** Most slices that a request may ask for, by endpoint; without an entry: as many as the read has. */
  readonly fits: ReadonlyMap<string, number>;
  /** The expected time of an answer. */
  readonly answerMs: number;
}

/**
 * Kinds of steps: slices to compare with the platform, checks in the warehouse, slices to compare with the archive, and
 * slices to load from it.
 */
export type StepKind = 'compare' | 'check' | 'archive' | 'slice';
