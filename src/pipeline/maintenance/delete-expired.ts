/** Removes what is older than it has to be kept, a little at a time: nobody waits long for what it locks. */
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

/** Each has a few hundred kilobytes; hundreds of them are the work of a moment. */
const chunksPerBatch = 200;
const dayMs = 86_400_000;
/** Runs come last: what names them goes with them as far as it is as old. */
const inOrder: readonly ExpiringRows[] = ['check_results', 'rejected_rows', 'drift', 'runs'];

/** Where the work is done. */
export interface MaintenanceContext {
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
}

type RetentionSettings = Pick<Config, 'runRetentionDays' | 'rejectedRetentionDays' | 'rawRetentionDays'>;

/** What the settings have kept at this moment; `archiveFrom` takes the place of the first day that `RAW_RETENTION_DAYS` keeps. */
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
 * The same at the end of the night `yesterday`. Where the platform serves only older days, a clock that is ahead is not
 * believed: it would let expire what is young.
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

/** The first day of an archive of so many days before `until`; none keeps none. */
export function archiveOfDays(days: number, until: Day): Day | 'never' {
  return days === 0 ? 'never' : addDays(until, -days);
}

/** The same for months. */
export function archiveOfMonths(months: number, until: Day): Day | 'never' {
  return months === 0 ? 'never' : addMonths(until, -months);
}

/**
 * Removes what expired of organizations whose locks the caller holds, and of what belongs to no organization; returns
 * how many rows went. May be interrupted anywhere: what is gone is gone, the rest goes the next time.
 */
export async function deleteExpired(
  { pool, signal }: MaintenanceContext,
  orgKeys: readonly number[],
  retention: Retention,
): Promise<DeletedRows> {
  const deleted = { runs: 0, rejected_rows: 0, drift: 0, check_results: 0, raw_slices: 0 };
  /** One pass over a table, with a transaction for each batch. */
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

/** What the end of a night needs. */
export interface NightContext extends MaintenanceContext {
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
}

/** The same for one organization at the end of its night. What fails is told, and fails no night: the next one tries again. */
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
