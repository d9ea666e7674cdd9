/** Bounds so small that a slice of a hundred rows is larger than each of them. */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The bytes of a chunk with these bounds. */
export const tinyChunkBytes = 2_000;

/** Settings with which a chunk has a few records, nothing stays in memory, and a transaction has fifty rows. */
export const tinyBounds: Readonly<Record<string, string>> = {
  CHUNK_BYTES: String(tinyChunkBytes),
  MEMORY_BYTES: '0',
  LIST_ROWS: '50',
  PAGE_SIZE: '20',
};

/** Settings for tests that run twice: with bounds that every slice exceeds, and with the usual ones. */
export const bounds: readonly [string, Readonly<Record<string, string>>][] = [
  ['above every bound', tinyBounds],
  ['within every bound', {}],
];

/** A folder for `DATA_DIR`. */
export interface DataDirectory {
  readonly path: string;
  /** The files in the folder, with their permissions, such as `0600`. */
  files(): Promise<readonly { readonly name: string; readonly mode: string }[]>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Makes an empty folder; dispose of it after the test. */
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
