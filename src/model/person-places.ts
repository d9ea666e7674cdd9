/** Types for the columns that may name persons; `sources/person-columns.ts` lists them. */

/** A column that may name a person. */
export interface PersonColumn {
  /** The table with its schema. */
  readonly table: string;
  readonly column: string;
  /** The content: text with words, JSON, or a user id. */
  readonly kind: 'text' | 'json' | 'user_id';
}

/** A table with user id and e-mail in the same row. */
export interface PersonTable {
  readonly table: string;
  readonly userId: string;
  readonly email: string;
}

/** All columns that may name persons, except the raw archive. */
export interface PersonPlaces {
  readonly columns: readonly PersonColumn[];
  readonly tables: readonly PersonTable[];
}
