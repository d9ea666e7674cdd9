/** Rebuilds facts from the raw archive: without the platform, without a credential. */
import PQueue from 'p-queue';
import { type Day, type DayRange, daysOf, earliestDay } from '../model/day.ts';
import { explain } from '../model/errors.ts';
import type { RunReport } from '../model/run.ts';
import type { DailySource } from '../model/source.ts';
import { archivedSlices, readRawSlice } from '../warehouse/archive/raw-archive.ts';
import { withSession } from '../warehouse/connection/connection.ts';
import { ensureDates, listOrganizations } from '../warehouse/ledger/organization.ts';
import { type Ledger, ledgerKey, readLedger } from '../warehouse/ledger/slice-ledger.ts';
import { createKeyCache } from '../warehouse/load/dimension-keys.ts';
import { gatherSlice } from './gathered-slice.ts';
import { mostRowsHeld } from './read-slices.ts';
import { type OpenRun, type RunOptions, recordRun } from './recorded-run.ts';
import type { StoreContext } from './store-context.ts';
import { recordSliceFailure, storeSlice } from './store-slice.ts';

/** What to replay. */
export interface ReplayOptions extends Omit<RunOptions, 'counts' | 'job'> {
  readonly sources: readonly DailySource[];
  readonly range: DayRange;
  readonly maxRejectedShare: number;
}

/**
 * Loads every archived slice of the range again, newest first, for every organization, and writes what differs.
 * Slices without raw rows are left as they are.
 */
export function replay(options: ReplayOptions): Promise<RunReport> {
  return recordRun({ ...options, job: 'replay', counts: { sent: 0, retried: 0 } }, async (run) => {
    const organizations = await run.control.use(({ db }) => listOrganizations(db));
    // All of them first: where another run works on one of them, nothing is done.
    for (const { orgKey } of organizations) await run.control.holdOrganization(orgKey);
    let planned = 0;
    for (const { orgKey, organizationId } of organizations) {
      const { ledger, archived } = await run.control.use(async ({ db }) => {
        await ensureDates(db, `${earliestDay.slice(0, 4)}-01-01`, options.range.to);
        return { ledger: await readLedger(db, orgKey), archived: await archivedSlices(db, orgKey) };
      });
      const slices = options.sources.flatMap((source) =>
        daysOf(options.range)
          .filter((day) => archived.has(ledgerKey(source.name, day)))
          .map((day) => ({ source, day })),
      );
      slices.sort((a, b) => (a.day < b.day ? 1 : a.day > b.day ? -1 : 0));
      planned += slices.length;
      run.report({ type: 'planned', slices: planned, organizationId });
      const context: StoreContext = {
        pool: options.pool,
        orgKey,
        runId: run.runId,
        keyCache: createKeyCache(),
        settling: new PQueue({ concurrency: 1 }),
        yesterday: options.range.to,
        allowEmpty: false,
        skipUnchanged: false,
        replacesArchive: false,
        maxRejectedShare: options.maxRejectedShare,
        signal: options.abort.signal,
      };
      for (const { source, day } of slices) {
        options.abort.signal.throwIfAborted();
        await replaySlice(options, run, context, ledger, source, day);
      }
    }
  });
}

async function replaySlice(
  { appVersion, abort, redact }: ReplayOptions,
  { report }: OpenRun,
  context: StoreContext,
  ledger: Ledger,
  source: DailySource,
  day: Day,
): Promise<void> {
  const gathered = gatherSlice(source, day, { appVersion, keepRaw: false });
  const { slice, content } = gathered;
  try {
    await withSession(context.pool, async ({ db }) => {
      const archive = readRawSlice(db, context.orgKey, slice);
      const isComplete = async () => {
        while (content.waiting < mostRowsHeld) {
          const { value, done } = await archive.next();
          if (done === true || value === undefined) return true;
          gathered.addArchived(value);
        }
        return false;
      };
      const complete = await isComplete();
      const before = ledger.get(ledgerKey(slice.endpoint, slice.key));
      const stored = await storeSlice(
        context,
        gathered,
        before,
        complete ? undefined : async () => !(await isComplete()),
      );
      report({ type: 'slice-done', slice, stored, rowsRead: content.read, drift: content.drift });
    });
  } catch (error) {
    abort.signal.throwIfAborted();
    const reason = redact(explain(error));
    await recordSliceFailure(context, gathered, reason);
    report({ type: 'slice-failed', slice, error, reason, rejected: content.rejected.length });
  }
}
