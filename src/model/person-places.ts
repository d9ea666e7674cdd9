/** Columns in which persons may be named, as data. Which ones there are is told by `sources/person-columns.ts`. */

/** A column in which a person may be named. */
export interface PersonColumn {
  /** With its schema. */
  readonly table: string;
  readonly column: string;
  /** How it is read: as one text with words, as JSON, or as the id of a user. */
  readonly kind: 'text' | 'json' | 'user_id';
}

/** A table that has a person's user id and e-mail side by side. */
export interface PersonTable {
  readonly table: string;
  readonly userId: string;
  readonly email: string;
}

/** Where persons may be named, the raw archive aside. */
export interface PersonPlaces {
  readonly columns: readonly PersonColumn[];
  readonly tables: readonly PersonTable[];
}
