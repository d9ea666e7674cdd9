/** Rebuilds facts from the raw archive: without the platform, without a credential. */
import { join } from 'node:path';
import type { Config } from '../../model/config.ts';
import { type DayRange, earliestDay } from '../../model/day.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { RunReport } from '../../model/run-report.ts';
import { type Slice, type Source, sliceOf } from '../../model/source.ts';
import { archivedSlices } from '../../warehouse/archive/raw-archive.ts';
import { withSnapshot } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { ensureDates, listOrganizations } from '../../warehouse/ledger/organization.ts';
import { type Ledger, ledgerKey, readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import { loadReceipts } from '../load/load.ts';
import { failSlice, knownOf, type LoadContext, openLoads } from '../load/load-context.ts';
import { sumCredits } from '../load/sum-credits.ts';
import { archivedReceipt } from '../receive/archived-receipt.ts';
import type { Receipt, ReceiptOptions } from '../receive/receipt.ts';
import { createReceivedMemory } from '../receive/received-memory.ts';
import { forgetPending } from '../removal/forget-stored.ts';
import { withholdStoredEmails } from '../removal/withhold-emails.ts';
import { settleStoredTexts } from '../removal/withhold-texts.ts';
import { dataDirectory } from '../runs/open-warehouse.ts';
import { type RunOptions, recordRun } from '../runs/recorded-run.ts';
import { reopenDays } from './believe-empty-slices.ts';

/** What to replay. */
export interface ReplayOptions
  extends Omit<RunOptions, 'counts' | 'job'>,
    Pick<Config, 'chunkBytes' | 'memoryBytes' | 'dataDirectory' | 'withholdsEmails' | 'withholdsTexts'> {
  readonly sources: readonly Source[];
  readonly range: DayRange;
  /** Whether slices outside the range, and those without a day, are replayed, too. */
  readonly all: boolean;
  readonly maxRejectedShare: number;
  readonly listRows: number;
}

/**
 * Loads every archived slice of the range again, newest first, for every organization, and writes what differs.
 * Slices without raw rows are left as they are; one whose archive is not whole fails, and keeps its rows.
 */
export function replay(given: ReplayOptions): Promise<RunReport> {
  const persons = new ForgottenPersons();
  const options = { ...given, redact: persons.behind(given.redact) };
  return recordRun({ ...options, job: 'replay', counts: { sent: 0, retried: 0 } }, async (run) => {
    const organizations = await run.control.use(({ db }) => listOrganizations(db));
    // All of them first: where another run works on one of them, nothing is done.
    for (const { orgKey } of organizations) await run.control.holdOrganization(orgKey);
    const memory = createReceivedMemory(options.memoryBytes, join(dataDirectory(options), 'tmp'));
    const gathering = { chunkBytes: options.chunkBytes, memory, persons };
    let planned = 0;
    for (const { orgKey, organizationId } of organizations) {
      const { ledger, archived } = await run.control.use(async ({ db }) => {
        await ensureDates(db, `${earliestDay.slice(0, 4)}-01-01`, options.range.to);
        return { ledger: await readLedger(db, orgKey), archived: await archivedSlices(db, orgKey) };
      });
      const onDrawnIn = (users: number) => run.report({ type: 'persons-drawn-in', users });
      const forgetting = { pool: options.pool, persons, signal: options.abort.signal, onDrawnIn };
      const forgotten = await forgetPending(forgetting, orgKey);
      if (forgotten !== undefined) run.report({ type: 'persons-forgotten', ...forgotten });
      // The archive would bring back what may not be stored any more.
      if (options.withholdsEmails)
        for (const slice of await withholdStoredEmails(
          options.pool,
          orgKey,
          options.sources,
          persons,
          options.abort.signal,
        ))
          run.report({ type: 'archive-removed', slice });
      const texts = { orgKey, sources: options.sources, withholdsTexts: options.withholdsTexts };
      for (const slice of await settleStoredTexts(options.pool, texts, options.abort.signal))
        run.report({ type: 'archive-removed', slice });
      const slices = archivedOf(options, archived);
      planned += slices.length;
      const newSlices = slices.map(({ slice }) => slice);
      run.report({ type: 'planned', slices: planned, newSlices, organizationId });
      const context = openLoads(
        { ...options, orgKey, runId: run.runId, ledger, signal: options.abort.signal, onEvent: run.report },
        { ...options, maxDeletedShare: 1 },
        { force: true, allowEmpty: true, archives: undefined, onNothing: () => undefined },
      );
      for (const { source, slice } of slices) {
        options.abort.signal.throwIfAborted();
        await replaySlice(context, gathering, source, slice);
      }
      await run.control.use(({ db }) => reopenDays(db, orgKey, run.report));
      const summing = { ...options, signal: options.abort.signal, report: run.report };
      await sumCredits(summing, [orgKey]);
      const after = await run.control.use(({ db }) => readLedger(db, orgKey));
      const rows = slices.reduce((sum, { slice }) => sum + lostRows(ledger, after, slice), 0);
      if (rows > 0) run.report({ type: 'rows-not-archived', rows });
    }
  });
}

/** The slices that are to be replayed, newest first. */
function archivedOf(
  { sources, range, all }: ReplayOptions,
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
 * Rows that the ledger counted and that are gone: those that were kept for rejected records are in no archive, and a
 * star that was emptied no longer had them.
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
        // One snapshot: nothing that is archived meanwhile can be taken for a part of it.
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
