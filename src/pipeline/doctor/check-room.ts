/** Checks that there is disk space for temporary files, and for the embedded Postgres if it is used. */
import { access, constants, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { leastRoom } from '../../embedded/no-room.ts';
import { codeOf } from '../../model/error-code.ts';
import { doubtful, type Finding, good, wrong } from '../../model/finding.ts';

const gibibyte = 1024 ** 3;
/** A run writes received records to disk if memory is full: some hundred MB if loads are slow. */
const fewBytes = gibibyte;

/** Checks the directory of `DATA_DIR`, or its nearest existing parent; creates nothing. */
export async function checkRoom(directory: string): Promise<Finding> {
  const name = 'DATA_DIR';
  const elsewhere = 'name another directory in DATA_DIR, or make room there';
  let existing = directory;
  for (;;) {
    try {
      await access(existing, constants.W_OK | constants.X_OK);
      break;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(existing) === existing)
        return wrong(name, `${existing} cannot be written (${codeOf(error)})`, elsewhere);
      existing = dirname(existing);
    }
  }
  const { bavail, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const detail = `${directory} has ${(free / gibibyte).toFixed(1)} GiB of room`;
  if (free < leastRoom) return wrong(name, detail, elsewhere);
  return free < fewBytes ? doubtful(name, detail, elsewhere) : good(name, detail);
}
