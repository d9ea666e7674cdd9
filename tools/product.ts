/** Generated files of this repository. */
import type pg from 'pg';

/** Databases for tools; each is started on demand and once. */
export interface Databases {
  /** A migrated database without rows. */
  empty(): Promise<pg.Pool>;
  /** The database of a demo up to a day; its data is always the same. */
  demo(to: string): Promise<pg.Pool>;
}

/** The files of one tool. */
export interface Product {
  /** Its name in `npm run`. */
  readonly name: string;
  /** Makes the text of each file, by path below the repository. */
  files(databases: Databases): Promise<ReadonlyMap<string, string>>;
  /** Patterns of paths that contain only its files: others there are obsolete. */
  readonly whole?: readonly string[];
}
