/** Files that somebody names: read whole, within bounds. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/**
 * The bytes of a file. Never waits, and never reads on and on: throws an error with a code when it cannot be read, one
 * whose message says why when it is no regular file, or too large.
 */
export function readRegularFile(path: string, mostBytes: number): Buffer {
  // Opening a pipe would wait for who writes into it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!fstatSync(file).isFile()) throw new Error('is no regular file');
    // Some files of the system say that they are empty, and have no end.
    const bytes = Buffer.alloc(mostBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      read = readSync(file, bytes, size, bytes.length - size, null);
    if (size > mostBytes) throw new Error(`is larger than ${mostBytes / 1024} KiB`);
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}
