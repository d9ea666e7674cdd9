/** The rule that says what is removed from stored values. Each purpose of a removal has its own rule. */
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

/** What is removed for one purpose, such as forgetting a person. */
export interface RemovalRule {
  /**
   * The organizations whose rows are rewritten; the caller holds their locks. Rows without an organization are rewritten,
   * too; rows of other organizations are not.
   */
  readonly orgKeys: readonly number[];
  /** Returns the new value; null removes it. Without this function every value is set to null without being read. */
  readonly rewrite?: (stored: StoredValue, place: PersonColumn) => string | null;
  /** A regular expression of Postgres that finds every value to change; e-mail columns and, without it, all are read. */
  readonly pattern?: string;
  /**
   * What to do with a row whose new name another row already has. `merge`: both rows mean the same person and become one.
   * `number`: the row stays, with its number appended to the name, so that no fact changes. A load uses `number`: it holds
   * the lock of one organization only, and a merge could change facts of other organizations.
   */
  readonly onSameName: 'merge' | 'number';
  /** Which chunks of the archive are read, and how they are marked afterwards. */
  readonly archive: ArchiveSelection;
  /** Returns the JSON text of a chunk without what is removed; returns `json` itself if nothing is removed. */
  readonly rewriteJson: (json: Buffer) => Buffer;
  /** Called before anything is overwritten, to store the names that were learned so far. */
  readonly beforeWriting?: () => Promise<void>;
  /** Called before the e-mail of a user is removed, in the same transaction. */
  readonly beforeEmailGoes?: (session: Session, stored: StoredValue) => Promise<void>;
}
