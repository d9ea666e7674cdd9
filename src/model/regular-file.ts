/** Reads files that other users may have placed: without blocking, as a whole, within a size limit. */
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

/** Flags for opening. Without `O_NONBLOCK`, opening a pipe would block until somebody writes into it. */
const withoutWaiting = constants.O_RDONLY | constants.O_NONBLOCK;

/** The content and the file status. */
export interface OpenedFile {
  readonly bytes: Buffer;
  readonly status: Stats;
}

/**
 * Reads a file whose path the user named. Follows links, because secrets are often links. `judge` gets the status of
 * the file and of each link to it, and may throw. Never blocks. Throws an error with a code when the file cannot be
 * read, or an error whose message says that it is no regular file or too large.
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
    // Some system files report a size of 0 and have no end.
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
 * Like `readRegularFile`, but for a folder into which other users write: a link is refused with the code `ELOOP`.
 * Asynchronous, so that the process still handles signals when the file system hangs.
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

/** Most links that are followed: as many as Linux follows. */
const mostLinks = 40;

/** The status of each link from a path to its target. */
function linksFrom(path: string): Stats[] {
  const links: Stats[] = [];
  for (let at = path; links.length < mostLinks; ) {
    const status = lstatSync(at);
    if (!status.isSymbolicLink()) return links;
    links.push(status);
    // Resolves `..` like the system: in a linked folder it means the parent of the link's target.
    at = resolve(realpathSync(dirname(at)), readlinkSync(at));
  }
  throw new Error('is behind too many links');
}

/** Thrown for a regular file that is larger than allowed. */
export class FileTooLargeError extends UsageEtlError {}

function refuseIrregular(status: Stats): void {
  if (!status.isFile()) throw new Error('is no regular file');
}

function refuseLarge(size: number, mostBytes: number): void {
  if (size > mostBytes) throw new FileTooLargeError(`is larger than ${mostBytes / 1024} KiB`);
}
