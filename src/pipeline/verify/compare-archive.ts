/**
 * Compares every stored figure with the raw archive. Loads each archived slice into temporary tables, as `replay` would,
 * and reports where the facts differ. Writes no facts and creates no keys of dimensions.
 */
import type pg from 'pg';
import type { Config } from '../../model/config.ts';
import type { DayRange } from '../../model/day.ts';
import { explain, TooManyRejectedError } from '../../model/errors.ts';
import { ForgottenPersons } from '../../model/forgotten-persons.ts';
import type { OnRunEvent } from '../../model/run.ts';
import type { Sanitizer } from '../../model/sanitize.ts';
import { type Slice, type Source, sliceOf } from '../../model/source.ts';
import { isReference } from '../../model/table.ts';
import type { CheckCounts, Contradiction } from '../../model/verification.ts';
import { archivedSize } from '../../warehouse/archive/raw-archive.ts';
import {
  type Check,
  mostContradictionsKept,
  recordContradictions,
} from '../../warehouse/checks/check-results.ts';
import { type Session, withSession } from '../../warehouse/connection/connection.ts';
import { retryOnConnectionLoss } from '../../warehouse/connection/reconnect.ts';
import { type Ledger, type LedgerEntry, ledgerKey, readLedger } from '../../warehouse/ledger/slice-ledger.ts';
import type { AlteredFigure, KeyInFact, TableComparison } from '../../warehouse/load/altered-figures.ts';
import { type KnownKeys, openKnownKeys } from '../../warehouse/load/known-keys.ts';
import { flattenReceipt } from '../load/flat-slice.ts';
import { openLoads } from '../load/load-context.ts';
import { compareSlice } from '../load/write-batch.ts';
import { archivedReceipt } from '../receive/archived-receipt.ts';
import type { ReceiptOptions } from '../receive/receipt.ts';
import { createReceivedMemory } from '../runs/received-memory.ts';
import { type SharedByRuns, spillDirectory } from '../runs/shared-by-runs.ts';

/** The name of the check. */
export const archiveCheckName = 'figures_in_archive';

/** The settings for reading archived slices. */
export type ArchiveSettings = Pick<
  Config,
  'chunkBytes' | 'memoryBytes' | 'dataDirectory' | 'maxRejectedShare' | 'listRows'
>;

/** What a comparison needs. */
export interface ArchiveContext {
  readonly pool: pg.Pool;
  readonly sources: readonly Source[];
  readonly settings: ArchiveSettings;
  readonly runId: string;
  readonly orgKey: number;
  /** The days to compare. Slices without a day are always compared. */
  readonly range: DayRange;
  /** Whether to compare slices outside of the range, too, such as the snapshot of today. */
  readonly all: boolean;
  readonly ledger: Ledger;
  /** The forgotten persons. Names of new ones may be replaced in the facts already, and not yet in the archive. */
  readonly persons: ForgottenPersons;
  readonly onEvent: OnRunEvent;
  readonly redact: Sanitizer;
  readonly signal: AbortSignal;
  readonly shared?: Pick<SharedByRuns, 'memory' | 'dimensionRows'> | undefined;
}

/** The result of the comparison. */
export interface ArchiveComparison {
  readonly counts: CheckCounts;
  /** Number of slices that were compared. */
  readonly compared: number;
  /** Number of slices with rows, but without an archive: it has expired, or was never kept. */
  readonly notCompared: number;
}

/** The largest number of contradictions that are listed per table and slice. */
const mostOfTable = 1_000;
const mostOfName = 200;

/**
 * Compares the archived slices of a range, newest first, and records contradictions. A slice with a damaged archive, or
 * with too many rejected records, cannot be compared: it is reported, and the other slices are compared.
 */
export async function compareWithArchive(context: ArchiveContext): Promise<ArchiveComparison> {
  const { settings, signal, onEvent, redact } = context;
  const memory =
    context.shared?.memory ?? createReceivedMemory(settings.memoryBytes, spillDirectory(settings));
  // The archive has the same pseudonyms as the facts, so do not rename anybody here.
  const gathering = { chunkBytes: settings.chunkBytes, memory, persons: new ForgottenPersons() };
  let [compared, notCompared, figures, altered, kept] = [0, 0, 0, 0, 0];
  for (const { source, slice } of slicesToCompare(context)) {
    signal.throwIfAborted();
    try {
      const found = await retryOnConnectionLoss(context.pool, signal, () =>
        compareArchived(context, gathering, source, slice),
      );
      if (found === undefined) {
        notCompared += 1;
        continue;
      }
      compared += 1;
      for (const table of found.tables) {
        figures += table.compared;
        altered += table.altered;
      }
      const listed = found.contradictions.slice(0, mostContradictionsKept - kept);
      kept += listed.length;
      await withSession(context.pool, ({ db }) => recordContradictions(db, checkOf(context), listed));
    } catch (error) {
      signal.throwIfAborted();
      const part = `${slice.endpoint} ${slice.key}`;
      onEvent({ type: 'check-failed', check: archiveCheckName, part, reason: redact(explain(error)) });
    } finally {
      onEvent({ type: 'steps-done', kind: 'archive', steps: 1 });
    }
  }
  if (altered > kept) {
    const detail = `${altered - kept} more that are not listed`;
    const more = { endpoint: null, usage_date: null, expected: null, actual: null, detail };
    await withSession(context.pool, ({ db }) => recordContradictions(db, checkOf(context), [more]));
  }
  const counts = { compared: figures, ok: figures - altered, remainders: 0, contradictions: altered };
  return { counts, compared, notCompared };
}

function checkOf({ runId, orgKey, range }: ArchiveContext): Check {
  return { runId, orgKey, range, name: archiveCheckName };
}

/** The slices of the range that have rows or an archive, newest first. */
export function slicesToCompare({
  sources,
  ledger,
  range,
  all,
}: Pick<ArchiveContext, 'sources' | 'ledger' | 'range' | 'all'>) {
  return [...ledger.values()]
    .filter((entry) => holdsRows(entry) || entry.archived !== undefined)
    .flatMap(({ endpoint, key }) => {
      const source = sources.find(({ name }) => name === endpoint);
      return source === undefined ? [] : [{ source, slice: sliceOf(source, key) }];
    })
    .filter(
      ({ slice: { usageDate } }) =>
        all || usageDate === null || (usageDate >= range.from && usageDate <= range.to),
    )
    .sort((a, b) => (a.slice.key < b.slice.key ? 1 : a.slice.key > b.slice.key ? -1 : 0));
}

function holdsRows({ status, tableRows }: LedgerEntry): boolean {
  return status === 'loaded' && Object.values(tableRows).some((rows) => rows > 0);
}

/** The comparison of one slice. */
interface FoundInSlice {
  readonly tables: readonly TableComparison[];
  readonly contradictions: readonly Omit<Contradiction, 'check'>[];
}

/**
 * Compares one slice; ledger, archive and facts are read in one snapshot. Undefined if the slice has no archive. Throws
 * `WarehouseError` if the archive is incomplete, and `TooManyRejectedError` if too many records are rejected, so that
 * `replay` would leave the facts as they are.
 */
function compareArchived(
  context: ArchiveContext,
  gathering: ReceiptOptions,
  source: Source,
  slice: Slice,
): Promise<FoundInSlice | undefined> {
  const { pool, orgKey, settings, redact } = context;
  return inSnapshot(pool, async (session) => {
    const { db } = session;
    const known = (await readLedger(db, orgKey, slice)).get(ledgerKey(slice.endpoint, slice.key));
    if (known?.archived === undefined || (await archivedSize(db, orgKey, slice)).chunks === 0)
      return undefined;
    const keys = openKnownKeys(db, orgKey, (name) => context.persons.inText(name));
    const receipt = await archivedReceipt(gathering, db, orgKey, { source, slice, known });
    try {
      const flat = await flattenReceipt(receipt, redact);
      const reason = flat.flattened && flat.content.tooManyRejected(settings.maxRejectedShare);
      if (reason !== undefined) throw new TooManyRejectedError(reason, flat.content.rejected);
      const loads = openLoads(
        { ...context, ledger: new Map() },
        { ...settings, maxDeletedShare: 1, withholdsEmails: false },
        { force: true, allowEmpty: true, archives: undefined, onWithoutRows: () => undefined },
      );
      const tables = await compareSlice(session, { ...loads, keys }, source, flat, mostOfTable);
      const contradictions = tables.flatMap((compared) =>
        compared.listed.map((figure) => contradictionOf(slice, compared, figure, keys, redact)),
      );
      return { tables, contradictions };
    } finally {
      await receipt.release();
    }
  });
}

/** Runs `work` in a transaction that sees the database as it was when it began. It may write into temporary tables. */
function inSnapshot<Found>(pool: pg.Pool, work: (session: Session) => Promise<Found>): Promise<Found> {
  return withSession(pool, ({ client, db }) =>
    db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute((transaction) => work({ client, db: transaction })),
  );
}

function contradictionOf(
  { endpoint, usageDate, scope }: Slice,
  { table }: TableComparison,
  { column, problem, expected, actual, keys }: AlteredFigure,
  known: KnownKeys,
  redact: Sanitizer,
): Omit<Contradiction, 'check'> {
  const ofScope = Object.entries(scope)
    .filter(([, value]) => value !== usageDate)
    .map(([name, value]) => `${name} ${redact(value, mostOfName)}`);
  const which = [...ofScope, ...keys.map((key, position) => keyInWords(key, position))].join(', ');
  const ofRow = which === '' ? '' : ` of ${which}`;
  const detail = {
    altered: `${table.name}.${column}${ofRow}: expected as the raw archive gives it`,
    missing: `${table.name}: no row${ofRow}, which the raw archive gives`,
    added: `${table.name}: a row${ofRow}, which the raw archive does not give`,
  }[problem];
  return { endpoint, usage_date: usageDate, expected, actual, detail };

  function keyInWords({ column: name, value, natural }: KeyInFact, position: number): string {
    const key = table.keys[position];
    const unknownName =
      key !== undefined && isReference(key) ? known.unknownName(key.dimension, Number(value)) : undefined;
    if (unknownName !== undefined) return `${name} unknown (${shown(unknownName.split('\0'))})`;
    if (natural !== undefined) return `${name} ${value} (${shown(natural)})`;
    return `${name} ${redact(value, mostOfName)}`;
  }

  function shown(natural: readonly string[]): string {
    return natural.map((part) => redact(part, mostOfName)).join(', ');
  }
}
