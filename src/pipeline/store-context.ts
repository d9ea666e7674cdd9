/** What storing slices needs to know. */
import type PQueue from 'p-queue';
import type pg from 'pg';
import type { KeyCache } from '../warehouse/load/dimension-keys.ts';

/** Where slices go, and under which rules. */
export interface StoreContext {
  readonly pool: pg.Pool;
  readonly orgKey: number;
  readonly runId: string;
  readonly keyCache: KeyCache;
  /** Settles slices that are as they were, few at a time: each takes too little to be worth a connection of its own. */
  readonly settling: PQueue;
  /** A slice of this day without rows is pending, not empty: the platform may just not have counted it yet. */
  readonly yesterday: string;
  /** An answer without rows empties a slice that has some. */
  readonly allowEmpty: boolean;
  /** Skips the load of content that is known to be there. */
  readonly skipUnchanged: boolean;
  /** What is archived of a slice is replaced by what was gathered now; false where it came from the archive. */
  readonly replacesArchive: boolean;
  /** Share of records, from 0 to 1, beyond which a slice fails. */
  readonly maxRejectedShare: number;
  /** Ends waits for a lost database. */
  readonly signal: AbortSignal;
}
