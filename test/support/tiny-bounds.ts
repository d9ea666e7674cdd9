/** Bounds so small that a slice of a hundred rows is larger than each of them. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Bytes of records that are written at a time, with these bounds. */
export const tinyChunkBytes = 2_000;

/** A chunk of a few records, nothing held in memory, a transaction of fifty rows. */
export const tinyBounds: Readonly<Record<string, string>> = {
  CHUNK_BYTES: String(tinyChunkBytes),
  MEMORY_BYTES: '0',
  LIST_ROWS: '50',
  PAGE_SIZE: '20',
};

/** Where a slice is read and loaded in parts, and where it is not: the settings of each. */
export const bounds: readonly [string, Readonly<Record<string, string>>][] = [
  ['above every bound', tinyBounds],
  ['within every bound', {}],
];

/** A folder for `DATA_DIR`. */
export interface DataDirectory {
  readonly path: string;
  /** The files below it, with their permissions as in `0600`. */
  files(): Promise<readonly { readonly name: string; readonly mode: string }[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes an empty folder; dispose of it in the end. */
export async function makeDataDirectory(): Promise<DataDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'usage-etl-data-'));
  return {
    path,
    async files() {
      const entries = await readdir(path, { recursive: true, withFileTypes: true });
      const found = await Promise.all(
        entries
          .filter((entry) => !entry.isDirectory())
          .map(async ({ name, parentPath }) => {
            // The program may have removed the file meanwhile.
            const details = await stat(join(parentPath, name)).catch(() => undefined);
            return details && { name, mode: `0${(details.mode & 0o777).toString(8)}` };
          }),
      );
      return found.filter((file) => file !== undefined);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
