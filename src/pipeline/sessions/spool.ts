/** The folder into which hooks put the ids of sessions that ended. */
// Loaded by the first call only: most runs have no spool.
import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../model/error-code.ts';
import { FileTooLargeError, readFileOfOthers } from '../../model/regular-file.ts';
import type { SessionEnd } from '../../warehouse/ledger/session-register.ts';
import { spoolNames } from './hook-command.ts';

/** What lies in a spool. */
export interface SpooledEnds {
  readonly ends: readonly SessionEnd[];
  /** The files that said so. */
  readonly files: readonly string[];
  /** Files that hold no id: they were renamed, so that they are told of once. */
  readonly unreadable: readonly string[];
  /** Files that could not be read or renamed, and what is no file but a link, say: they were left as they are. */
  readonly closed: readonly string[];
}

/** A hook that was killed leaves its file begun. So old ones are nobody's. */
const longestBegunMs = 24 * 60 * 60 * 1000;
/** A file of a hook holds one id. */
const mostBytes = 65_536;

/**
 * Reads a spool; one that is not there is empty. `isId` says what may be an id. Throws what the file system throws where
 * the folder cannot be read; a file that cannot be read holds up no other.
 */
export async function readSpool(directory: string, isId: (text: string) => boolean): Promise<SpooledEnds> {
  const ends: SessionEnd[] = [];
  const [files, unreadable, closed]: [string[], string[], string[]] = [[], [], []];
  for (const name of await namesIn(directory)) {
    const path = join(directory, name);
    try {
      if (name.startsWith('.') && name.endsWith(spoolNames.begun)) await removeIfOld(path);
      if (name.startsWith('.') || !name.endsWith(spoolNames.whole)) continue;
      const end = await readEnd(path);
      if (end !== undefined && isId(end.id)) {
        ends.push(end);
        files.push(path);
      } else {
        await disk.rename(path, `${path}${spoolNames.unreadable}`);
        unreadable.push(name);
      }
    } catch {
      // It may hold an id, for somebody who may read it: so it stays as it is.
      closed.push(name);
    }
  }
  return { ends, files, unreadable, closed };
}

/** Removes files whose ids are registered. Returns those that cannot be removed: they will be read again, and tell nothing new. */
export async function emptySpool(files: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const path of files)
    await disk.rm(path, { force: true }).catch(() => {
      left.push(path);
    });
  return left;
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await disk.readdir(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

async function removeIfOld(path: string): Promise<void> {
  const { mtime } = await disk.lstat(path);
  if (Date.now() - mtime.getTime() > longestBegunMs) await disk.rm(path, { force: true });
}

/** What a file says; undefined where it holds no id. Throws where it cannot be read, or is no file but a link, say. */
async function readEnd(path: string): Promise<SessionEnd | undefined> {
  try {
    const { bytes, status } = await readFileOfOthers(path, mostBytes);
    const id = idIn(bytes.toString('utf8'));
    return id === undefined ? undefined : { id, endedAt: status.mtime };
  } catch (error) {
    if (error instanceof FileTooLargeError) return undefined;
    throw error;
  }
}

/** The id in the text of a file; undefined where it is no JSON text. */
function idIn(text: string): string | undefined {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
