/** What is removed from stored values, as data: one rule per purpose. */
import type { PersonColumn } from '../../model/person-places.ts';
import type { Session } from '../connection/connection.ts';
import type { ArchiveSelection } from './rewrite-archive.ts';

/** A value of a row. */
export interface StoredValue {
  readonly value: string;
  /** Of an e-mail; else null. */
  readonly userId: string | null;
  /** The organization of the row, if it has one. */
  readonly orgKey: number | null;
}

/** One purpose for which values are removed. */
export interface RemovalRule {
  /** The organizations, whose locks the caller holds. Rows of others are left alone; those of none are not. */
  readonly orgKeys: readonly number[];
  /** What becomes of a value of a column; null where nothing stays. Absent: nothing stays of any, and none is read. */
  readonly rewrite?: (stored: StoredValue, place: PersonColumn) => string | null;
  /** A regular expression for Postgres that finds all that changes, but for e-mails. Absent: every value is read. */
  readonly pattern?: string;
  /**
   * What becomes of a row whose new name another row has. `merge`: both name the same person, and become one. `number`:
   * it stays by itself, with a number behind its name, so that no fact changes. Every load asks whether there is anything
   * to do, and holds the lock of one organization only: the facts of such a row may be those of others.
   */
  readonly onSameName: 'merge' | 'number';
  /** Which chunks of the archive are read, and what is said of them afterwards. */
  readonly archive: ArchiveSelection;
  /** The JSON text of a chunk without what is removed; the same buffer where nothing is. */
  readonly rewriteJson: (json: Buffer) => Buffer;
  /** Called before anything is overwritten: by then it must be kept whose names came to be known. */
  readonly beforeWriting?: () => Promise<void>;
  /** Called before an e-mail is taken away from a user, in the same transaction. */
  readonly beforeEmailGoes?: (session: Session, stored: StoredValue) => Promise<void>;
}
