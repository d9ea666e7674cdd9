/** Slices that the platform lists nowhere: somebody names them, for as long as they are wanted. */
import type { Database } from '../../warehouse/connection/connection.ts';

/** Where their keys come from, and what becomes of them. */
export interface NamedSlices {
  /** Before the plan: their keys, by endpoint. */
  readonly name: (db: Database, orgKey: number) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** After the reading. */
  readonly settle: (db: Database, run: NamedRun) => Promise<void>;
}

/** A run that read what was named. */
export interface NamedRun {
  readonly orgKey: number;
  readonly runId: string;
  /** Keys of slices that the platform does not know. */
  readonly unknown: readonly string[];
}
