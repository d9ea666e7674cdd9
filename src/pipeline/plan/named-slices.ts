/** Slices that the platform does not list, so that people must name them. */
import type { Database } from '../../warehouse/connection/connection.ts';

/** The source of their keys, and the end of their registration. */
export interface NamedSlices {
  /** Returns their keys, by endpoint; called before the plan. */
  readonly name: (db: Database, orgKey: number) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Finishes slices; called after the reading. */
  readonly settle: (db: Database, run: NamedRun) => Promise<void>;
}

/** A run that read named slices. */
export interface NamedRun {
  readonly orgKey: number;
  readonly runId: string;
  /** Keys of slices that the platform does not know. */
  readonly unknown: readonly string[];
}
