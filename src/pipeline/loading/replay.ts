/** `replay`: rebuilds facts from the raw archive, without the platform and without a credential. */
import { type DayRange, earliestDay } from '../../model/day.ts';
import type { RunReport } from '../../model/run-report.ts';
import { type Slice, type Source, sliceOf } from '../../model/source.ts';
import { archivedSlices } from '../../warehouse/archive/raw-archive.ts';
import { withSnapshot } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { ensureDates } from '../../warehouse/ledger/organization.ts';
import { type Ledger, ledgerKey, readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { loadReceipts } from '../load/load.ts';
import { failSlice, knownOf, type LoadContext, openLoads } from '../load/load-context.ts';
import { sumCredits } from '../load/sum-credits.ts';
import {
  type TakenOrganization,
  takeAllOrganizations,
  takeKnownOrganization,
} from '../organization/take-organization.ts';
import { archivedReceipt } from '../receive/archived-receipt.ts';
import type { Receipt, ReceiptOptions } from '../receive/receipt.ts';
import { removeBeforeLoad } from '../removal/remove-before-load.ts';
import type { JobSurroundings } from '../runs/job-surroundings.ts';
import { createReceivedMemory } from '../runs/received-memory.ts';
import { spillDirectory } from '../runs/shared-by-runs.ts';
import { withRun } from '../runs/with-run.ts';
import { reopenDays } from './believe-empty-slices.ts';

/** The slices to replay. */
export interface ReplayJob {
  /** The only organization to replay; undefined for all of the warehouse. */
  readonly organization?: TakenOrganization;
  readonly sources: readonly Source[];
  readonly range: DayRange;
  /** Whether to replay slices outside the range and slices without a day, too. */
  readonly all: boolean;
}

/**
 * Loads every archived slice of the range again, newest first, for every organization or for one, and writes the differences.
 * A slice without an archive stays as it is. A slice with an incomplete archive fails and keeps its rows.
 */
export function replay(job: ReplayJob, surroundings: JobSurroundings): Promise<RunReport> {
  const { sources, range } = job;
  const endpoints = sources.map(({ name }) => name);
  const runJob = { name: 'replay', arguments: { ...range, endpoints }, showsBar: true };
  return withRun(surroundings, runJob, async (run) => {
    const { config, control, onEvent, persons } = run;
    const organizations =
      job.organization === undefined
        ? await takeAllOrganizations(run)
        : [await takeKnownOrganization(run, job.organization)];
    const memory = run.shared?.memory ?? createReceivedMemory(config.memoryBytes, spillDirectory(config));
    const gathering = { chunkBytes: config.chunkBytes, memory, persons };
    let planned = 0;
    for (const { orgKey, organizationId } of organizations) {
      const { ledger, archived } = await control.use(async ({ db }) => {
        await ensureDates(db, `${earliestDay.slice(0, 4)}-01-01`, range.to);
        return { ledger: await readLedger(db, orgKey), archived: await archivedSlices(db, orgKey) };
      });
      // Otherwise the archive would bring back data that may not be stored any more.
      await removeBeforeLoad(run, orgKey, sources, run.config);
      const slices = archivedOf(job, archived);
      planned += slices.length;
      const newSlices = slices.map(({ slice }) => slice);
      onEvent({ type: 'planned', slices: planned, newSlices, organizationId });
      const context = openLoads(
        { ...run, orgKey, ledger },
        { ...config, maxDeletedShare: 1 },
        { force: true, allowEmpty: true, archives: undefined, onWithoutRows: () => undefined },
      );
      for (const { source, slice } of slices) {
        run.signal.throwIfAborted();
        await replaySlice(context, gathering, source, slice);
      }
      await control.use(({ db }) => reopenDays(db, orgKey, onEvent));
      await sumCredits(run, [orgKey]);
      const after = await control.use(({ db }) => readLedger(db, orgKey));
      const rows = slices.reduce((sum, { slice }) => sum + lostRows(ledger, after, slice), 0);
      if (rows > 0) onEvent({ type: 'rows-not-archived', rows });
    }
  });
}

/** The slices to replay, newest first. */
function archivedOf(
  { sources, range, all }: ReplayJob,
  archived: readonly { readonly endpoint: string; readonly key: string }[],
): { readonly source: Source; readonly slice: Slice }[] {
  const inRange = ({ usageDate }: Slice) =>
    all || (usageDate !== null && usageDate >= range.from && usageDate <= range.to);
  return sources
    .flatMap((source) =>
      archived
        .filter(({ endpoint }) => endpoint === source.name)
        .map(({ key }) => ({ source, slice: sliceOf(source, key) })),
    )
    .filter(({ slice }) => inRange(slice))
    .sort((a, b) => (a.slice.key < b.slice.key ? 1 : a.slice.key > b.slice.key ? -1 : 0));
}

/**
 * The number of rows that the ledger counted and that the replay did not write. A load keeps stored rows for rejected
 * records; these rows are not in the archive. If the facts were emptied before the replay, they are lost.
 */
function lostRows(before: Ledger, after: Ledger, { endpoint, key }: Slice): number {
  const [old, now] = [before, after].map((ledger) => ledger.get(ledgerKey(endpoint, key))?.tableRows ?? {});
  return Object.entries(old ?? {}).reduce(
    (sum, [table, rows]) => sum + Math.max(0, rows - (now?.[table] ?? 0)),
    0,
  );
}

async function replaySlice(
  context: LoadContext,
  gathering: ReceiptOptions,
  source: Source,
  slice: Slice,
): Promise<void> {
  try {
    const receipt = await retryOnConnectionLoss(context.pool, context.signal, async () => {
      const gathered: Receipt[] = [];
      try {
        // Read in one snapshot, so that chunks of a later archive cannot mix with these.
        return await withSnapshot(context.pool, async ({ db }) => {
          const known = knownOf(context, slice);
          const whole = await archivedReceipt(gathering, db, context.orgKey, { source, slice, known });
          gathered.push(whole);
          return whole;
        });
      } catch (error) {
        for (const lost of gathered) await lost.release();
        throw error;
      }
    });
    await loadReceipts(context, source, [receipt]).finally(() => receipt.release());
  } catch (error) {
    await failSlice(context, slice, error);
  }
}
