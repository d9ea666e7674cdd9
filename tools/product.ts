/** What a tool writes: files of this repository that are made from others. */
import type pg from 'pg';

/** Postgres, for tools that make their files from it. Whatever is asked for first is started once. */
export interface Databases {
  /** A migrated database without rows. */
  empty(): Promise<pg.Pool>;
  /** The database of a demo up to a day; its data is the same each time. */
  demo(to: string): Promise<pg.Pool>;
}

/** Files that one tool makes. */
export interface Product {
  /** As `npm run` calls it. */
  readonly name: string;
  /** Makes the text of each file, by its path below the repository. */
  files(databases: Databases): Promise<ReadonlyMap<string, string>>;
  /** Patterns of paths of which it makes every file: others there are left over from before. */
  readonly whole?: readonly string[];
}
