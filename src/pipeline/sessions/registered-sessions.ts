/** The sessions that a run reads: those that hooks told of, those that are registered and not finished, or those that somebody names. */
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
} from '../../warehouse/ledger/session-register.ts';
import type { NamedSlices } from '../plan/named-slices.ts';
import { emptySpool, readSpool } from './spool.ts';

const { name: endpoint, partitioning } = sessionMessages;

/** Whether a text may be the id of a session. */
export const isSessionId = partitioning.isKey;

/** The sessions that are not finished, as keys of slices by endpoint. */
export async function namedSlices(
  db: Database,
  orgKey: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  return new Map([[endpoint, await unfinishedSessions(db, orgKey)]]);
}

/** What naming sessions needs of a job's surroundings. */
interface Surroundings {
  readonly config: Pick<Config, 'sessionSpoolDirectory' | 'lookbackDays'>;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

/**
 * Takes in what lies in the spool, and names the sessions to read: `wanted`, which are registered where they are not yet,
 * or all that are not finished. Afterwards lets go of those that are finished.
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

/** Registers what hooks told of. Ids are removed from the spool only when they are registered. */
async function takeInSpool(
  db: Database,
  orgKey: number,
  directory: string | undefined,
  log: Surroundings['log'],
): Promise<void> {
  if (directory === undefined) return;
  try {
    const { ends, files, unreadable, closed } = await readSpool(directory, isSessionId);
    for (const file of unreadable)
      log.warn({ file }, 'a file in SESSION_SPOOL_DIR holds no id of a session; it was renamed');
    for (const file of closed)
      log.warn(
        { file },
        'a file in SESSION_SPOOL_DIR can be neither read nor renamed, or is no regular file; give this user the right to, or remove it',
      );
    await recordSessionEnds(db, orgKey, ends);
    const left = await emptySpool(files);
    if (files.length > 0) log.info({ sessions: files.length }, 'sessions that ended were taken in');
    if (left.length > 0)
      log.warn(
        { files: left.length },
        'files in SESSION_SPOOL_DIR cannot be removed; give this user the right to',
      );
  } catch (error) {
    if (!isOfFileSystem(error)) throw error;
    log.warn(
      { reason: explain(error) },
      'SESSION_SPOOL_DIR cannot be read; its sessions wait for the next run',
    );
  }
}

function isOfFileSystem(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'path' in error;
}
