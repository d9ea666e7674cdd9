/** Reads and empties the folder into which hooks write the ids of ended sessions. */
// `promises` is used through the module, because Node loads it at its first use, and most runs have no spool.
import { promises as disk } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../model/error-code.ts';
import { FileTooLargeError, readFileOfOthers } from '../../model/regular-file.ts';
import type { SessionEnd } from '../../warehouse/ledger/agent-sessions.ts';
import { spoolNames } from './hook-command.ts';

/** The content of a spool. */
export interface SpooledEnds {
  readonly ends: readonly SessionEnd[];
  /** The files of these ends. */
  readonly files: readonly string[];
  /** Files without an id. They are renamed, so that only one run warns about them. */
  readonly unreadable: readonly string[];
  /** Files that cannot be read or renamed, and links and other irregular files. They stay as they are. */
  readonly unusable: readonly string[];
}

/** A killed hook leaves a temporary file. It is removed after this time, when no hook can be writing it any more. */
const longestBegunMs = 24 * 60 * 60 * 1000;
/** Most bytes of a file that is read; a hook writes only one id into a file. */
const mostBytes = 65_536;

/**
 * Reads a spool; a missing folder counts as empty. `isId` checks an id. Throws the error of the file system if the folder
 * cannot be read. A file that cannot be read does not prevent that others are read.
 */
export async function readSpool(directory: string, isId: (text: string) => boolean): Promise<SpooledEnds> {
  const ends: SessionEnd[] = [];
  const [files, unreadable, unusable]: [string[], string[], string[]] = [[], [], []];
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
      // The file may contain an id, so do not remove it. Somebody may correct its permissions.
      unusable.push(name);
    }
  }
  return { ends, files, unreadable, unusable };
}

/**
 * Removes files whose ids are registered. Returns those that cannot be removed: the next run reads them again, which
 * does no harm.
 */
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

/**
 * The end of a session, from a file; undefined if the file contains no id. Throws if the file cannot be read or is not a
 * regular file.
 */
async function readEnd(path: string): Promise<SessionEnd | undefined> {
  try {
    const { bytes, status } = await readFileOfOthers(path, mostBytes);
    const id = sessionIdIn(bytes.toString('utf8'));
    return id === undefined ? undefined : { id, endedAt: status.mtime };
  } catch (error) {
    if (error instanceof FileTooLargeError) return undefined;
    throw error;
  }
}

/** The id in the text of a file; undefined if it is not a JSON text. */
function sessionIdIn(text: string): string | undefined {
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
