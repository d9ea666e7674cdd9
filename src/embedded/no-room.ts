/** The error for a full disk below `DATA_DIR`: it names this setting, and the space that the embedded Postgres needs. */
import { statfs } from 'node:fs/promises';
import { codeOf } from '../model/error-code.ts';
import { explain, WarehouseError } from '../model/errors.ts';

const mebibyte = 1024 ** 2;
/** Bytes that the embedded Postgres needs for an empty warehouse, its log, and temporary files of a short run. */
export const leastRoom = 128 * mebibyte;

/** What somebody should know who would rather move than make room. */
export const anotherWarehouse =
  'another directory in DATA_DIR, or DATABASE_URL, means another warehouse: it is empty, and what is loaded here stays behind';

/** Bytes of a file of Postgres' write-ahead log: when Postgres cannot create the next one, it ends. */
const segmentOfLog = 16 * mebibyte;

/** Codes of errors for a full disk: `ENOSPC` and `EDQUOT` come from the system, 53100 from Postgres. */
const fullDiskCodes = new Set(['ENOSPC', 'EDQUOT', '53100']);
/** Words of a program that does not tell a code, such as initdb. */
const fullDiskWords = /No space left on device|Disk quota exceeded/i;

/** Whether an error, or one of its causes, comes from a full disk. */
export function isDiskFull(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (fullDiskCodes.has(codeOf(current) ?? '') || fullDiskWords.test(current.message)) return true;
  return false;
}

/**
 * The error to throw when work with the embedded Postgres in `directory` failed: for a full disk a `WarehouseError` that
 * says what to do; any other error unchanged. With `isServerGone` the connection was lost, perhaps because of a full disk.
 */
export async function roomProblem(error: unknown, directory: string, isServerGone = false): Promise<unknown> {
  if (!isServerGone && !isDiskFull(error)) return error;
  const disk = await statfs(directory).catch(() => undefined);
  if (disk === undefined) return error;
  const free = disk.bavail * disk.bsize;
  if (!isDiskFull(error) && free > segmentOfLog) return error;
  const told = explain(error);
  // The output of initdb has many lines, so only the one about the disk is told.
  const said = told.split('\n').find((line) => fullDiskWords.test(line)) ?? told;
  return new WarehouseError(
    `DATA_DIR: the disk of the embedded Postgres is full: ${directory} has ${inMebibytes(free)} left, ` +
      `and an empty warehouse needs ${inMebibytes(leastRoom)}; make room there, then run the command again; ` +
      `${anotherWarehouse} (${said.trim()})`,
  );
}

/** A size in MiB, rounded down. */
export function inMebibytes(bytes: number): string {
  return `${Math.floor(bytes / mebibyte)} MiB`;
}
