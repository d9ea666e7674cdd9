/** Bounds the received bytes in memory, for all slices of a run together. Files take the bytes beyond this bound. */

import { randomUUID } from 'node:crypto';
import { close, mkdirSync, openSync, read, readdirSync, rmSync, write } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Counts the received bytes in memory. */
export interface ReceivedMemory {
  /** Reserves memory for so many bytes; false if there is not enough. */
  take(bytes: number): boolean;
  give(bytes: number): void;
  /** The directory for spill files. */
  readonly directory: string;
}

/** Creates a counter with a bound of `limit` bytes. */
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

/** The part of a counter that one run holds. */
export interface MemoryOfRun extends ReceivedMemory {
  /** Gives back everything: an error may have left receipts that nobody releases. */
  end(): void;
}

/** Counts what a run takes of a memory that others take from, too. */
export function memoryOfRun(memory: ReceivedMemory): MemoryOfRun {
  let held = 0;
  const give = (bytes: number) => {
    const given = Math.min(bytes, held);
    held -= given;
    memory.give(given);
  };
  return {
    take(bytes) {
      const isTaken = memory.take(bytes);
      if (isTaken) held += bytes;
      return isTaken;
    },
    give,
    directory: memory.directory,
    end: () => give(held),
  };
}

/** A temporary file for received bytes. */
export interface SpillFile {
  /** Appends a piece; resolves to where it begins. */
  write(piece: Buffer): Promise<number>;
  read(start: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

const prefix = 'received-';
const [writeTo, readFrom, closeFile] = [promisify(write), promisify(read), promisify(close)];

/** Removes spill files that a killed process left. A running process keeps access to files that it has open. */
export function removeSpillFiles(directory: string): void {
  makePrivate(directory);
  for (const name of readdirSync(directory))
    if (name.startsWith(prefix)) rmSync(join(directory, name), { force: true });
}

function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
}

/**
 * Opens a spill file and removes its name at once: so only this process can reach it, and the system frees its space when
 * the process ends.
 */
export function openSpillFile(directory: string): SpillFile {
  makePrivate(directory);
  const path = join(directory, `${prefix}${randomUUID()}`);
  // Both calls are synchronous: a process that is killed between them leaves the file.
  const file = openSync(path, 'wx+', 0o600);
  rmSync(path, { force: true });
  let length = 0;
  return {
    async write(piece) {
      const start = length;
      length += piece.length;
      for (let done = 0; done < piece.length; )
        done += (await writeTo(file, piece, done, piece.length - done, start + done)).bytesWritten;
      return start;
    },
    async read(start, size) {
      const piece = Buffer.allocUnsafeSlow(size);
      for (let done = 0; done < size; ) {
        const { bytesRead } = await readFrom(file, piece, done, size - done, start + done);
        if (bytesRead === 0)
          throw new Error('the file for received records is shorter than what was written to it');
        done += bytesRead;
      }
      return piece;
    },
    close: () => closeFile(file),
  };
}
