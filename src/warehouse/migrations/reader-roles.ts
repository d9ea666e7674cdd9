/** The roles that read the views, as they are meant. */

/** A group without login, and the schemas whose views it reads. */
export interface Reader {
  readonly name: string;
  /** Whose rights it has, too. */
  readonly memberOf: string | undefined;
  readonly schemas: readonly string[];
}

/** Those of this program. */
export const ownReaders: readonly Reader[] = [
  { name: 'usage_analyst', memberOf: undefined, schemas: ['bi'] },
  { name: 'usage_people_reader', memberOf: 'usage_analyst', schemas: ['bi', 'bi_people'] },
];
