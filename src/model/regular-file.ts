/** Files that others may have put where they are: opened without waiting, read whole, within bounds. */
import {
  closeSync,
  constants,
  promises as disk,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageEtlError } from './errors.ts';

/** Opening a pipe would wait for who writes into it. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;

/** A file, and what the file system says of it. */
export interface OpenedFile {
  readonly bytes: Buffer;
  readonly status: Stats;
}

/**
 * The bytes of a file whose path somebody named: links are followed, for secrets are often links. `judge` may throw for
 * what the file system says of the file, and of each link that leads to it. Never waits, and never reads on and on: throws
 * an error with a code when it cannot be read, one whose message says why when it is no regular file, or too large.
 */
export function readRegularFile(
  path: string,
  mostBytes: number,
  judge: (status: Stats) => void = () => undefined,
): Buffer {
  const file = openSync(path, withoutWaiting);
  try {
    const status = fstatSync(file);
    refuseIrregular(status);
    for (const link of linksFrom(path)) judge(link);
    judge(status);
    // Some files of the system say that they are empty, and have no end.
    const bytes = Buffer.alloc(mostBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      read = readSync(file, bytes, size, bytes.length - size, null);
    refuseLarge(size, mostBytes);
    return bytes.subarray(0, size);
  } finally {
    closeSync(file);
  }
}

/**
 * The same for a file in a folder into which others write: a link is none. Throws as `readRegularFile` does; the code of a
 * link is `ELOOP`. Leaves the process able to hear signals where the file system does not answer.
 */
export async function readFileOfOthers(path: string, mostBytes: number): Promise<OpenedFile> {
  const file = await disk.open(path, withoutWaiting | constants.O_NOFOLLOW);
  try {
    const status = await file.stat();
    refuseIrregular(status);
    const bytes = Buffer.alloc(mostBytes + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < bytes.length; size += read)
      ({ bytesRead: read } = await file.read(bytes, size, bytes.length - size, null));
    refuseLarge(size, mostBytes);
    return { bytes: bytes.subarray(0, size), status };
  } finally {
    await file.close();
  }
}

/** More links than the file system follows. */
const mostLinks = 40;

/** What the file system says of each link that leads from a path to its end. */
function linksFrom(path: string): Stats[] {
  const links: Stats[] = [];
  for (let at = path; links.length < mostLinks; ) {
    const status = lstatSync(at);
    if (!status.isSymbolicLink()) return links;
    links.push(status);
    // What leads there is taken as the system takes it: `..` in a folder that is a link means the folder above its end.
    at = resolve(realpathSync(dirname(at)), readlinkSync(at));
  }
  throw new Error('is behind too many links');
}

/** A regular file has more bytes than any that is meant. */
export class FileTooLargeError extends UsageEtlError {}

function refuseIrregular(status: Stats): void {
  if (!status.isFile()) throw new Error('is no regular file');
}

function refuseLarge(size: number, mostBytes: number): void {
  if (size > mostBytes) throw new FileTooLargeError(`is larger than ${mostBytes / 1024} KiB`);
}
