/**
 * Chooses the sessions that a run reads: those on the command line, or all registered sessions that are not finished.
 */
import type { Config } from '../../model/config.ts';
import { explain } from '../../model/errors.ts';
import type { Log } from '../../reporting/log.ts';
import { sessionMessages } from '../../sources/session-messages/source.ts';
import type { Database } from '../../warehouse/connection/connection.ts';
import {
  finishSessions,
  recordSessionEnds,
  registerSessions,
  unfinishedSessions,
} from '../../warehouse/ledger/agent-sessions.ts';
import type { NamedSlices } from '../plan/named-slices.ts';
import { emptySpool, readSpool } from './spool.ts';

const { name: endpoint, partitioning } = sessionMessages;

/** Whether a text may be the id of a session. */
export const isSessionId = partitioning.isKey;

/** The sessions that are not finished: their slice keys, by endpoint. */
export async function namedSlices(
  db: Database,
  orgKey: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map([[endpoint, await unfinishedSessions(db, orgKey)]]);
}

/** The settings and the log that choosing sessions needs. */
interface Surroundings {
  readonly config: Pick<Config, 'sessionSpoolDirectory' | 'lookbackDays'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Before the plan: registers the sessions in the spool, and names the sessions to read: `wanted` (which are registered,
 * too) or, without `wanted`, all that are not finished. After the reading: marks sessions as finished.
 */
export function registeredSessions(
  { config, log }: Surroundings,
  wanted: readonly string[] = [],
): NamedSlices {
  return {
    async name(db, orgKey) {
      await takeInSpool(db, orgKey, config.sessionSpoolDirectory, log);
      if (wanted.length > 0) await registerSessions(db, orgKey, wanted);
      return wanted.length > 0 ? new Map([[endpoint, [...new Set(wanted)]]]) : namedSlices(db, orgKey);
    },
    settle: (db, { orgKey, runId, unknown }) =>
      finishSessions(db, { orgKey, runId, endpoint, unknown, lookbackDays: config.lookbackDays }),
  };
}

/** Registers the sessions in the spool, and removes their files only after that, so that no session is lost. */
export async function takeInSpool(
  db: Database,
  orgKey: number,
  directory: string | undefined,
  log: Surroundings['log'],
): Promise<void> {
  if (directory === undefined) return;
  try {
    const { ends, files, unreadable, unusable } = await readSpool(directory, isSessionId);
    for (const file of unreadable)
      log.warn({ file }, 'a file in SESSION_SPOOL_DIR contains no session id; it was renamed');
    for (const file of unusable)
      log.warn(
        { file },
        'a file in SESSION_SPOOL_DIR cannot be read or renamed, or is not a regular file; change its permissions, or remove it',
      );
    await recordSessionEnds(db, orgKey, ends);
    const left = await emptySpool(files);
    if (files.length > 0) log.info({ sessions: files.length }, 'registered sessions from SESSION_SPOOL_DIR');
    if (left.length > 0)
      log.warn(
        { files: left.length },
        'files in SESSION_SPOOL_DIR cannot be removed; give this user write access to the folder',
      );
  } catch (error) {
    if (!isOfFileSystem(error)) throw error;
    log.warn({ reason: explain(error) }, 'SESSION_SPOOL_DIR cannot be read; the next run will try again');
  }
}

function isOfFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
