/** Tests `migrate` with files of the test, in an empty database. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { explain, type UsageEtlError } from '../../src/model/errors.ts';
import { createEmptyDatabase, type TestDatabase } from './database.ts';

/** What the tests of a file share. Its properties are those of the test that is running. */
export interface MigratedFiles {
  readonly database: TestDatabase;
  readonly sqlDirectory: string;
  /** Writes files, by their paths in the directory. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

/** Sets up the tests of a file, each of which begins with `files`. */
export function setUpMigratedFiles(files: Readonly<Record<string, string>>): MigratedFiles {
  let sqlDirectory: string;
  let database: TestDatabase;

  async function write(more: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(more)) {
      await mkdir(dirname(join(sqlDirectory, name)), { recursive: true });
      await writeFile(join(sqlDirectory, name), text);
    }
  }

  beforeEach(async () => {
    sqlDirectory = await mkdtemp(join(tmpdir(), 'usage-etl-sql-'));
    await write(files);
    database = await createEmptyDatabase();
  });

  afterEach(async () => {
    await database.drop();
    await rm(sqlDirectory, { recursive: true });
  });

  return {
    get database() {
      return database;
    },
    get sqlDirectory() {
      return sqlDirectory;
    },
    write,
  };
}

/** The message of the error that `work` throws; fails when it succeeds or throws an unexpected kind of error. */
export async function failureOf(
  work: Promise<unknown>,
  kind: new (...values: never[]) => UsageEtlError,
): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(kind);
  return explain(error);
}
