/** A column that may name persons. `sources/person-columns.ts` lists them all. */
export interface PersonColumn {
  /** Table name with its schema. */
  readonly table: string;
  readonly column: string;
  /**
   * How the column is read: as a text with words, as JSON, as the id of a user, or as an e-mail. An e-mail belongs to the
   * user in `user_id` of the same row. Two more columns, with the endings `_date` and `_endpoint`, say when the e-mail was
   * reported and by which endpoint.
   */
  readonly kind: 'text' | 'json' | 'user_id' | 'email';
}
