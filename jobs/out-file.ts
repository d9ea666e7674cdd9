/** Writes the files of `--out`. */
import * as fs from 'node:fs';
import { Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { codeOf } from '../src/model/error-code.ts';
import { ConfigurationError } from '../src/model/errors.ts';

const [open, statusOf, truncate, write, close] = [
  promisify(fs.open),
  promisify(fs.fstat),
  promisify(fs.ftruncate),
  promisify(fs.writeFile),
  promisify(fs.close),
];
/** With these flags, opening a pipe without a reader fails instead of waiting for a reader. */
const withoutWaiting = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NONBLOCK;

/**
 * Writes a text to a file, which is created or overwritten, or to a pipe that has a reader. Throws `ConfigurationError` if
 * the text cannot be written, or if the path is neither a file nor a pipe.
 */
export async function writeOutFile(path: string, text: string): Promise<void> {
  try {
    await writeTo(path, await open(path, withoutWaiting), text);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const reason = codeOf(error) ?? 'no reason given';
    throw new ConfigurationError([`--out: ${path} cannot be written (${reason})`], { cause: error });
  }
}

async function writeTo(path: string, file: number, text: string): Promise<void> {
  const status = await statusOf(file);
  if (status.isFIFO()) return await writeIntoPipe(file, text);
  try {
    if (!status.isFile())
      throw new ConfigurationError([`--out: ${path} is neither a file nor a pipe; name a file`]);
    await truncate(file);
    await write(file, text);
  } finally {
    await close(file);
  }
}

/**
 * Writes to a pipe as a stream. A blocking write would occupy a thread, and if the reader stopped reading, this process
 * could not end.
 */
async function writeIntoPipe(fd: number, text: string): Promise<void> {
  const pipe = new Socket({ fd, readable: false, writable: true });
  pipe.end(text);
  await finished(pipe);
}
