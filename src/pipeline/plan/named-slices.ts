/** Slices that the platform does not list, so that people must name them. */
import type { Database } from '../../warehouse/connection/connection.ts';

/** Says which slices are to be read, and settles them after the reading. */
export interface NamedSlices {
  /** Returns the keys of the slices, by endpoint; called before the plan. */
  readonly name: (db: Database, orgKey: number) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Marks slices that need no further reading as finished; called after the reading. */
  readonly settle: (db: Database, run: NamedRun) => Promise<void>;
}

/** A run that read named slices. */
export interface NamedRun {
  readonly orgKey: number;
  readonly runId: string;
  /** Keys of slices that the platform does not know. */
  readonly unknown: readonly string[];
}
