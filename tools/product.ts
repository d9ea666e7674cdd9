/** Generated files of this repository. */
import type pg from 'pg';

/** Databases for tools; each is created once, when it is first needed. */
export interface Databases {
  /** A migrated database without rows. */
  empty(): Promise<pg.Pool>;
  /** The database of a demo up to a day; its data is always the same. */
  demo(to: string): Promise<pg.Pool>;
}

/** The generated files of one script of `npm run`. */
export interface Product {
  /** The name of the script. */
  readonly name: string;
  /** Makes the text of each file, by path below the repository. */
  files(databases: Databases): Promise<ReadonlyMap<string, string>>;
  /** Patterns of paths under which there are only files of this product: any other file there is obsolete. */
  readonly whole?: readonly string[];
}
