/** The rule that says what is removed from stored values: one per purpose. */
import type { PersonColumn } from '../../model/person-places.ts';
import type { Session } from '../connection/connection.ts';
import type { ArchiveSelection } from './rewrite-archive.ts';

/** A stored value with its row. */
export interface StoredValue {
  readonly value: string;
  /** The user of the row, if the value is an e-mail; else null. */
  readonly userId: string | null;
  /** The organization of the row, if it has one. */
  readonly orgKey: number | null;
}

/** One purpose for which values are removed. */
export interface RemovalRule {
  /**
   * The organizations whose rows are rewritten; the caller holds their locks. Rows without an organization are rewritten,
   * too; rows of other organizations are not.
   */
  readonly orgKeys: readonly number[];
  /** Returns the new value; null removes it. Without this function every value is set to null without being read. */
  readonly rewrite?: (stored: StoredValue, place: PersonColumn) => string | null;
  /** A regular expression of Postgres that finds every value to change, except in e-mail columns. Absent: all are read. */
  readonly pattern?: string;
  /**
   * What to do with a row whose new name another row already has. `merge`: both rows mean the same person and become one.
   * `number`: the row stays, with its number appended to the name, so that no fact changes. Loads use `number`: they hold
   * the lock of one organization only, and the row may have facts of other organizations.
   */
  readonly onSameName: 'merge' | 'number';
  /** Which chunks of the archive are read, and how they are marked afterwards. */
  readonly archive: ArchiveSelection;
  /** Returns the JSON text of a chunk without what is removed; the same buffer if nothing is. */
  readonly rewriteJson: (json: Buffer) => Buffer;
  /** Called before anything is overwritten, to store the names that were learned so far. */
  readonly beforeWriting?: () => Promise<void>;
  /** Called before the e-mail of a user is removed, in the same transaction. */
  readonly beforeEmailGoes?: (session: Session, stored: StoredValue) => Promise<void>;
}
