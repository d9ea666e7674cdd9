/** Records in the slice ledger the results of readings that got an answer. */
import { sql } from 'kysely';
import type { Slice } from '../../model/source.ts';
import type { StoredTable } from '../../model/table.ts';
import type { Database, Session } from '../connection/connection.ts';
import { holdsRecordedRows } from '../load/slice-target.ts';
import type { ArchivedSize } from './slice-ledger.ts';

/** The result of reading a slice. */
export interface SliceOutcome {
  /** `empty`: the answer has no rows, and this is believed. */
  readonly status: 'loaded' | 'empty';
  readonly sourceHash: Buffer | null;
  /** Rows of the endpoint's main table. */
  readonly rowCount: number;
  readonly tableRows: Readonly<Record<string, number>>;
  readonly rejectedCount: number;
  /** Whether rows changed, so that `loaded_at` becomes now. */
  readonly changed: boolean;
  /** The new size of the slice's archive; undefined if the archive did not change. */
  readonly archived: ArchivedSize | undefined;
}

/** Records readings whose rows were loaded, or that left the slice without rows. */
export async function recordLoaded(
  db: Database,
  orgKey: number,
  runId: string,
  outcomes: readonly { readonly slice: Slice; readonly outcome: SliceOutcome }[],
): Promise<void> {
  if (outcomes.length === 0) return;
  const now = sql<Date>`now()`;
  const values = outcomes.map(({ slice, outcome }) => ({
    ...identity(orgKey, slice),
    ...success,
    status: outcome.status,
    source_hash: outcome.sourceHash,
    row_count: outcome.rowCount,
    table_rows: JSON.stringify(outcome.tableRows),
    rejected_count: outcome.rejectedCount,
    run_id: runId,
    fetched_at: now,
    loaded_at: outcome.changed ? now : null,
    attempts: 1,
    // -1 means: the slice was loaded from the archive, so leave the columns of the archive and of the platform's
    // answer as they are.
    raw_chunks: outcome.archived === undefined ? -1 : outcome.archived.chunks || null,
    raw_rows: outcome.archived?.rows || null,
  }));
  // A load from the archive says nothing about the platform's last answer.
  const unlessArchive = <Value>(column: string) =>
    sql<Value>`case when excluded.raw_chunks = -1 then slice.${sql.ref(column)} else excluded.${sql.ref(column)} end`;
  await db
    .insertInto('etl.slice')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['org_key', 'endpoint', 'slice_key']).doUpdateSet((eb) => ({
        ...success,
        status: eb.ref('excluded.status'),
        source_hash: eb.ref('excluded.source_hash'),
        row_count: eb.ref('excluded.row_count'),
        table_rows: eb.ref('excluded.table_rows'),
        rejected_count: eb.ref('excluded.rejected_count'),
        run_id: eb.ref('excluded.run_id'),
        fetched_at: unlessArchive<Date | null>('fetched_at'),
        last_error: unlessArchive<string | null>('last_error'),
        last_failed_at: unlessArchive<Date | null>('last_failed_at'),
        refused_at: unlessArchive<Date | null>('refused_at'),
        refusal_told_at: unlessArchive<Date | null>('refusal_told_at'),
        loaded_at: sql<Date | null>`coalesce(excluded.loaded_at, slice.loaded_at)`,
        attempts: sql<number>`slice.attempts + 1`,
        raw_chunks: unlessArchive<number | null>('raw_chunks'),
        raw_rows: unlessArchive<string | null>('raw_rows'),
      })),
    )
    .execute();
}

/** The columns about failures: every answer that is not refused sets them to null. */
const noFailure = {
  error: null,
  last_error: null,
  last_failed_at: null,
  refused_at: null,
  refusal_told_at: null,
};

/** An answer with rows, or one that is believed, also removes the evidence for an empty slice. */
const success = {
  ...noFailure,
  answered_empty_by: sql<string[]>`'{}'`,
  believed_by: null,
};

/** A slice that was read again, and the digest of its records. */
export interface ReadAgain {
  readonly slice: Slice;
  readonly sourceHash: Buffer | null;
}

/**
 * Records that slices of one source were read again and have not changed. Updates only slices of which `tables` hold
 * as many rows as the ledger says; returns the keys of these slices. The statement is prepared, because most slices of
 * most runs end here.
 */
export async function recordUnchanged(
  { client }: Session,
  orgKey: number,
  runId: string,
  readAgain: readonly ReadAgain[],
  tables: readonly StoredTable[],
): Promise<Set<string>> {
  const [first] = readAgain;
  if (first === undefined) return new Set();
  const { endpoint } = first.slice;
  const conditions = tables.map((table) => ` and ${holdsRecordedRows(table, first.slice)}`);
  const { rows } = await client.query<{ slice_key: string }>({
    name: `unchanged ${endpoint}`,
    text: `
      update etl.slice as slice
      set status = 'loaded', run_id = $1, fetched_at = now(), attempts = attempts + 1, error = null,
        last_error = null, last_failed_at = null, refused_at = null, refusal_told_at = null,
        answered_empty_by = '{}', believed_by = null,
        source_hash = ($5::bytea[])[array_position($4::text[], slice_key)]
      where org_key = $2 and endpoint = $3 and slice_key = any($4) ${conditions.join('')}
      returning slice_key`,
    values: [
      runId,
      orgKey,
      endpoint,
      readAgain.map(({ slice }) => slice.key),
      readAgain.map(({ sourceHash }) => sourceHash),
    ],
  });
  return new Set(rows.map(({ slice_key }) => slice_key));
}

/**
 * Records that slices without stored rows got an answer without rows, which is not believed yet. A slice that is `empty`
 * already stays so until `believeEmptyDays` decides at the end of the run: a run that is stopped before does not decide.
 * `archive` says whether the archived answers of the slices were kept or removed.
 */
export async function recordPending(
  db: Database,
  orgKey: number,
  runId: string,
  slices: readonly Slice[],
  archive: 'kept' | 'removed',
): Promise<void> {
  const values = {
    status: 'pending',
    source_hash: null,
    row_count: 0,
    table_rows: '{}',
    rejected_count: 0,
    run_id: runId,
    fetched_at: sql<Date>`now()`,
    ...noFailure,
    ...(archive === 'removed' ? { raw_chunks: null, raw_rows: null } : {}),
  };
  for (const slice of slices)
    await db
      .insertInto('etl.slice')
      .values({
        ...identity(orgKey, slice),
        ...values,
        attempts: 1,
        answered_empty_by: sql<string[]>`array[${runId}::bigint]`,
      })
      .onConflict((conflict) =>
        conflict.columns(['org_key', 'endpoint', 'slice_key']).doUpdateSet({
          ...values,
          status: sql<string>`case when slice.status = 'empty' then 'empty' else 'pending' end`,
          believed_by: sql<string | null>`case when slice.status = 'empty' then slice.believed_by end`,
          attempts: sql<number>`slice.attempts + 1`,
          answered_empty_by: sql<
            string[]
          >`array_append(array_remove(slice.answered_empty_by, ${runId}::bigint), ${runId}::bigint)`,
        }),
      )
      .execute();
}

/** The columns that name a slice. */
export function identity(orgKey: number, slice: Slice) {
  return { org_key: orgKey, endpoint: slice.endpoint, slice_key: slice.key, usage_date: slice.usageDate };
}
