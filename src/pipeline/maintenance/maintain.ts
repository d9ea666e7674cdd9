/** `maintenance`: removes what is older than it has to be kept, of all organizations. */
import type { DeletedRows } from '../../model/run.ts';
import { listOrganizations } from '../../warehouse/ledger/organization.ts';
import type { Retention } from '../../warehouse/maintenance/expired-rows.ts';
import { type RunOptions, recordRun } from '../runs/recorded-run.ts';
import { deleteExpired } from './delete-expired.ts';

/** How long to keep what. */
export interface MaintainOptions extends Omit<RunOptions, 'counts' | 'job'> {
  readonly retention: Retention;
}

/** What came of it. */
export interface MaintainReport {
  readonly deleted: DeletedRows;
  /** What stopped it; undefined when it came to its end. */
  readonly stoppedBy: unknown;
}

/** Holds the locks of all organizations; `LockHeldError` in `stoppedBy` says that one is held, and that nothing was done. */
export async function maintain(options: MaintainOptions): Promise<MaintainReport> {
  let deleted: DeletedRows = { runs: 0, rejected_rows: 0, drift: 0, check_results: 0, raw_slices: 0 };
  const { pool, abort, retention } = options;
  const run = { ...options, job: 'maintenance', counts: { sent: 0, retried: 0 } };
  const { stoppedBy } = await recordRun(run, async ({ control, report }) => {
    const organizations = await control.use(({ db }) => listOrganizations(db));
    const orgKeys = organizations.map(({ orgKey }) => orgKey);
    for (const orgKey of orgKeys) await control.holdOrganization(orgKey);
    deleted = await deleteExpired({ pool, signal: abort.signal }, orgKeys, retention);
    report({ type: 'maintained', deleted });
  });
  return { deleted, stoppedBy };
}
