/** The bound on received bytes in memory, for all slices of a run together, and the files for the rest. */

import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A count of the received bytes in memory, with a bound. */
export interface ReceivedMemory {
  /** Takes room for so many bytes; false when there is none. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** The directory for spill files. */
  readonly directory: string;
}

/** A bound of `limit` bytes. */
export function createReceivedMemory(limit: number, directory: string): ReceivedMemory {
  let held = 0;
  return {
    take(bytes) {
      if (held + bytes > limit) return false;
      held += bytes;
      return true;
    },
    give(bytes) {
      held -= bytes;
    },
    directory,
  };
}

/** A file that pieces are put into and read back from. */
export interface SpillFile {
  /** Appends a piece; resolves to where it begins. */
  write(piece: Buffer): Promise<number>;
  read(start: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

/**
 * Opens a spill file and unlinks it at once. Only this process can reach it, and nothing is left behind, however the
 * process ends.
 */
export async function openSpillFile(directory: string): Promise<SpillFile> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, `received-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  let length = 0;
  return {
    async write(piece) {
      const start = length;
      length += piece.length;
      for (let done = 0; done < piece.length; )
        done += (await file.write(piece, done, piece.length - done, start + done)).bytesWritten;
      return start;
    },
    async read(start, size) {
      const piece = Buffer.allocUnsafeSlow(size);
      for (let done = 0; done < size; ) {
        const { bytesRead } = await file.read(piece, done, size - done, start + done);
        if (bytesRead === 0) throw new Error('the file for received records ended before its time');
        done += bytesRead;
      }
      return piece;
    },
    close: () => file.close(),
  };
}
