/** The roles that read the views. */

/** A group without login, and the schemas whose views it reads. */
export interface Reader {
  readonly name: string;
  /** The role whose rights it inherits. */
  readonly memberOf: string | undefined;
  readonly schemas: readonly string[];
}

/** The roles that `migrate` creates. */
export const ownReaders: readonly Reader[] = [
  { name: 'usage_analyst', memberOf: undefined, schemas: ['bi'] },
  { name: 'usage_people_reader', memberOf: 'usage_analyst', schemas: ['bi', 'bi_people'] },
];
