/** A column in which persons may be named, as data. Which ones there are is told by `sources/person-columns.ts`. */
export interface PersonColumn {
  /** The table with its schema. */
  readonly table: string;
  readonly column: string;
  /**
   * How it is read: as one text with words, as JSON, as the id of a user, or as the e-mail of the user whose `user_id`
   * the same row has. What reported that e-mail, and when, is in columns that are called after it.
   */
  readonly kind: 'text' | 'json' | 'user_id' | 'email';
}
