/** `maintenance`: deletes expired rows of all organizations. */
import { today } from '../../model/day.ts';
import type { DeletedRows } from '../../model/run.ts';
import { takeAllOrganizations } from '../organization/take-organization.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withRun } from '../runs/with-run.ts';
import { archiveOfMonths, deleteExpired, retentionOf } from './delete-expired.ts';

/** The result of `maintenance`. */
export interface MaintainReport {
  readonly deleted: DeletedRows;
  /** The error that stopped the deletion; undefined if it was completed. */
  readonly stoppedBy: unknown;
}

/**
 * Deletes rows that have expired by the settings; `archiveMonths` replaces `RAW_RETENTION_DAYS`. Takes the locks of all
 * organizations. If another run holds one of them, `stoppedBy` is a `LockHeldError`, and nothing is deleted.
 */
export async function maintain(
  archiveMonths: number | undefined,
  surroundings: JobSurroundings,
): Promise<MaintainReport> {
  let deleted: DeletedRows = { runs: 0, rejected_rows: 0, drift: 0, check_results: 0, raw_slices: 0 };
  const { config, clock } = surroundings;
  const archiveFrom = archiveMonths === undefined ? undefined : archiveOfMonths(archiveMonths, today(clock));
  const retention = retentionOf(config, clock, archiveFrom);
  const kept = {
    run_retention_days: config.runRetentionDays,
    rejected_retention_days: config.rejectedRetentionDays,
    ...(archiveMonths === undefined
      ? { raw_retention_days: config.rawRetentionDays }
      : { archive_months: archiveMonths }),
  };
  const { stoppedBy } = await withRun(surroundings, { name: 'maintenance', arguments: kept }, async (run) => {
    const organizations = await takeAllOrganizations(run);
    const orgKeys = organizations.map(({ orgKey }) => orgKey);
    deleted = await deleteExpired(run, orgKeys, retention);
    run.onEvent({ type: 'maintained', deleted });
  });
  return { deleted, stoppedBy };
}
