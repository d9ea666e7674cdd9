/** how much of what was received stays in memory, over all slices of a run; the rest goes to files. */

import { randomUUID } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Bounds of what a run holds. */
export interface ReceivedMemory {
  /** Takes room for so many bytes; false when there is none. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** Directory of files for what has no room. */
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
 * Opens a spill file that only this process can see: its name is taken away at once, so that nothing is left behind
 * however the process ends.
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
