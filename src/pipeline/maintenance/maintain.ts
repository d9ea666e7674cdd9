/** `maintenance`: deletes expired rows of all organizations that no other run works on. */
import { today } from '../../model/day.ts';
import type { DeletedRows } from '../../model/run.ts';
import { askedOrganizations } from '../organization/asked-organizations.ts';
import { takeFreeOrganizations } from '../organization/take-organization.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { withRun } from '../runs/with-run.ts';
import { archiveOfMonths, deleteExpired, retentionOf } from './delete-expired.ts';

/** The result of `maintenance`. */
export interface MaintainReport {
  readonly deleted: DeletedRows;
  /** Organizations that others worked on. Their rows stay until the next time. */
  readonly organizationsLeft: number;
  /** The error that stopped it; undefined if it was completed. */
  readonly stoppedBy: unknown;
}

/**
 * Deletes rows that have expired by the settings; `archiveMonths` replaces `RAW_RETENTION_DAYS`. It takes the locks
 * of all organizations that the command works on, and leaves those whose locks other runs hold.
 */
export async function maintain(
  archiveMonths: number | undefined,
  surroundings: JobSurroundings,
): Promise<MaintainReport> {
  let deleted: DeletedRows = { runs: 0, rejected_rows: 0, drift: 0, check_results: 0, raw_slices: 0 };
  let organizationsLeft = 0;
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
    const asked = await run.control.use(({ db }) => askedOrganizations(db, config));
    const { held, locked } = await takeFreeOrganizations(
      run,
      asked.flatMap((each) => each.held ?? []),
    );
    organizationsLeft = locked.size;
    deleted = await deleteExpired(run, held, retention);
    run.onEvent({ type: 'maintained', deleted });
  });
  return { deleted, organizationsLeft, stoppedBy };
}
