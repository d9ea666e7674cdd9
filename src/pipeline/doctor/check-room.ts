/** Checks that there is disk space for temporary files, and for the embedded Postgres if it is used. */
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { anotherWarehouse, inMebibytes, leastRoom } from '../../embedded/no-room.ts';
import { codeOf } from '../../model/error-code.ts';
import { doubtful, type Finding, good, wrong } from '../../model/finding.ts';

const gibibyte = 1024 ** 3;
/** A run writes received records to disk if memory is full: some hundred MB if loads are slow. */
const fewBytes = gibibyte;

/**
 * Checks the directory of `DATA_DIR`, or its nearest existing parent; creates nothing. With `isEmbedded` the embedded
 * Postgres lies there.
 */
export async function checkRoom(directory: string, isEmbedded: boolean): Promise<Finding> {
  const name = 'DATA_DIR';
  const elsewhere = isEmbedded
    ? `make room there; ${anotherWarehouse}`
    : 'name another directory in DATA_DIR, or make room there';
  let existing = directory;
  for (;;) {
    try {
      await access(existing, constants.W_OK | constants.X_OK);
      break;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(existing) === existing)
        return wrong(
          name,
          `${existing} cannot be written (${codeOf(error)})`,
          'name another directory in DATA_DIR, or let this user write there',
        );
      existing = dirname(existing);
    }
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const room = free < gibibyte ? inMebibytes(free) : `${(free / gibibyte).toFixed(1)} GiB`;
  const detail = `${directory} has ${room} of room`;
  const needs = isEmbedded ? 'an empty warehouse needs' : 'a short run needs';
  if (free < leastRoom) return wrong(name, `${detail}, and ${needs} ${inMebibytes(leastRoom)}`, elsewhere);
  return free < fewBytes
    ? doubtful(name, `${detail}, and a long run may need ${inMebibytes(fewBytes)}`, elsewhere)
    : good(name, detail);
}
