/** A column that may name persons. `sources/person-columns.ts` lists them all. */
export interface PersonColumn {
  /** Table name with its schema. */
  readonly table: string;
  readonly column: string;
  /**
   * How it is read: as a text with words, as JSON, as the id of a user, or as an e-mail. An e-mail belongs to the user in
   * `user_id` of the same row. The columns with the same name and the endings `_date` and `_endpoint` say when and by which
   * endpoint it was reported.
   */
  readonly kind: 'text' | 'json' | 'user_id' | 'email';
}
