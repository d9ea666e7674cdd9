/** Deletes expired rows in many short transactions, so that other sessions never wait long for a lock. */
import type pg from 'pg';
import type { Clock } from '../../model/clock.ts';
import type { Config } from '../../model/config.ts';
import { addDays, addMonths, type Day, daysBetween, today } from '../../model/day.ts';
import { explain } from '../../model/errors.ts';
import type { DeletedRows, OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { expireRawSlices, hasExpiredSlices } from '../../warehouse/archive/raw-archive.ts';
import { type Session, withSession } from '../../warehouse/connection/connection.ts';
import { firstPosition, type RowPosition } from '../../warehouse/connection/one-pass.ts';
import { retryOnConnectionLoss, transactOnce } from '../../warehouse/connection/reconnect.ts';
import {
  type DeletedBatch,
  deleteExpiredRows,
  type ExpiringRows,
  expiredRows,
  type Retention,
} from '../../warehouse/maintenance/expired-rows.ts';

/** Chunks that one transaction deletes. A chunk has a few hundred kilobytes, so this takes only a moment. */
const chunksPerBatch = 200;
const dayMs = 86_400_000;
/** Runs come last, because rows of the other tables refer to them. */
const inOrder: readonly ExpiringRows[] = ['check_results', 'rejected_rows', 'drift', 'runs'];

/** What maintenance needs. */
export interface MaintenanceContext {
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
}

type RetentionSettings = Pick<Config, 'runRetentionDays' | 'rejectedRetentionDays' | 'rawRetentionDays'>;

/**
 * The times before which rows are expired, by the settings and the clock. `archiveFrom` is the first day of the archive
 * that is kept; by default `RAW_RETENTION_DAYS` decides.
 */
export function retentionOf(
  { runRetentionDays, rejectedRetentionDays, rawRetentionDays }: RetentionSettings,
  clock: Clock,
  archiveFrom = archiveOfDays(rawRetentionDays, today(clock)),
): Retention {
  const daysAgo = (days: number) => new Date(clock() - days * dayMs);
  return {
    runsFrom: daysAgo(runRetentionDays),
    rejectedFrom: daysAgo(rejectedRetentionDays),
    archiveFrom,
  };
}

/**
 * The times before which rows are expired, at the end of the night that loads `yesterday`. If the platform serves only
 * earlier days, our clock is fast: the times are corrected by this difference, so that no row is deleted too early.
 */
export function retentionOfNight(
  settings: RetentionSettings,
  clock: Clock,
  yesterday: Day,
  servedUntil: Day,
): Retention {
  const aheadMs = daysBetween(servedUntil, yesterday) * dayMs;
  const archiveFrom = archiveOfDays(settings.rawRetentionDays, addDays(servedUntil, 1));
  return retentionOf(settings, () => clock() - aheadMs, archiveFrom);
}

/** The first day of an archive of so many days before `until`; with 0 days nothing is kept. */
export function archiveOfDays(days: number, until: Day): Day | 'never' {
  return days === 0 ? 'never' : addDays(until, -days);
}

/** The first day of an archive of so many months before `until`; with 0 months nothing is kept. */
export function archiveOfMonths(months: number, until: Day): Day | 'never' {
  return months === 0 ? 'never' : addMonths(until, -months);
}

/**
 * Deletes expired rows of organizations whose locks the caller holds, and expired rows without an organization. Returns
 * the numbers of deleted rows. May be interrupted at any time: the next call deletes the rest.
 */
export async function deleteExpired(
  { pool, signal }: MaintenanceContext,
  orgKeys: readonly number[],
  retention: Retention,
): Promise<DeletedRows> {
  const deleted = { runs: 0, rejected_rows: 0, drift: 0, check_results: 0, raw_slices: 0 };
  /** Works through a table once, with a transaction for each part. */
  async function inBatches(
    work: (session: Session, position: RowPosition) => Promise<DeletedBatch>,
    onDeleted: (count: number) => void,
  ): Promise<void> {
    for (let position: RowPosition | undefined = firstPosition; position !== undefined; ) {
      signal.throwIfAborted();
      const from: RowPosition = position;
      const batch: DeletedBatch = await transactOnce(pool, signal, (session) => work(session, from));
      onDeleted(batch.deleted);
      position = batch.next;
    }
  }
  const look = <T>(work: (session: Session) => Promise<T>) =>
    retryOnConnectionLoss(pool, signal, () => withSession(pool, work));
  for (const orgKey of orgKeys) {
    if (!(await look(({ db }) => hasExpiredSlices(db, orgKey, retention.archiveFrom)))) continue;
    await inBatches(
      async ({ db }, position) => {
        const { chunks, next } = await expireRawSlices(
          db,
          orgKey,
          retention.archiveFrom,
          position,
          chunksPerBatch,
        );
        return { deleted: chunks, next };
      },
      (chunks) => {
        deleted.raw_slices += chunks;
      },
    );
  }
  const expired = await look(({ db }) => expiredRows(db, orgKeys, retention));
  for (const rows of inOrder.filter((each) => expired.includes(each)))
    await inBatches(
      ({ db }, position) => deleteExpiredRows(db, rows, orgKeys, retention, position),
      (count) => {
        deleted[rows] += count;
      },
    );
  return deleted;
}

/** What maintenance after a night needs. */
export interface NightContext extends MaintenanceContext {
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
}

/**
 * Deletes expired rows of one organization at the end of its night. An error is reported, but the night does not fail: the
 * next night tries again.
 */
export async function endNight(
  { onEvent, redact, ...context }: NightContext,
  orgKey: number,
  retention: Retention,
): Promise<void> {
  try {
    onEvent({ type: 'maintained', deleted: await deleteExpired(context, [orgKey], retention) });
  } catch (error) {
    if (context.signal.aborted) throw error;
    onEvent({ type: 'maintenance-failed', reason: redact(explain(error)) });
  }
}
