/** The slice ledger: what the warehouse holds of each slice, and how its last reading went. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import { storableText } from '../../model/json.ts';
import type { Slice } from '../../model/source.ts';
import type { TableDefinition } from '../../model/table.ts';
import type { Database, Session } from '../connection/connection.ts';
import { holdsRecordedRows } from '../load/slice-target.ts';

/** States of a slice; see the comment on `etl.slice.status`. */
export type SliceStatus = 'loaded' | 'empty' | 'pending' | 'failed';

/** What the ledger knows of a slice. */
export interface LedgerEntry {
  readonly endpoint: string;
  readonly key: string;
  readonly usageDate: Day | null;
  readonly status: SliceStatus;
  readonly contentHash: Buffer | null;
  readonly sourceHash: Buffer | null;
  /** Rows stored, by table; the program that reads it may know other tables than the one that wrote it. */
  readonly tableRows: Readonly<Record<string, number>>;
}

/** The ledger of an organization, found by endpoint and key. */
export type Ledger = ReadonlyMap<string, LedgerEntry>;

/** Finds an entry in a `Ledger`. */
export function ledgerKey(endpoint: string, key: string): string {
  return `${endpoint} ${key}`;
}

/** Reads the whole ledger of an organization. */
export async function readLedger(db: Database, orgKey: number): Promise<Ledger> {
  const rows = await db
    .selectFrom('etl.slice')
    .select(['endpoint', 'slice_key', 'usage_date', 'status', 'content_hash', 'source_hash', 'table_rows'])
    .where('org_key', '=', orgKey)
    .execute();
  return new Map(
    rows.map((row) => [
      ledgerKey(row.endpoint, row.slice_key),
      {
        endpoint: row.endpoint,
        key: row.slice_key,
        usageDate: row.usage_date as Day | null,
        status: row.status as SliceStatus,
        contentHash: row.content_hash,
        sourceHash: row.source_hash,
        tableRows: countsIn(row.table_rows),
      },
    ]),
  );
}

function countsIn(value: unknown): Record<string, number> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

/** What a reading of a slice ended in. */
export interface SliceOutcome {
  readonly runId: string;
  readonly status: SliceStatus;
  readonly contentHash: Buffer | null;
  readonly sourceHash: Buffer | null;
  /** Rows of the endpoint's main table. */
  readonly rowCount: number;
  readonly tableRows: Readonly<Record<string, number>>;
  readonly rejectedCount: number;
  /** Whether rows were written, so that `loaded_at` moves. */
  readonly changed: boolean;
}

/** Records a reading that succeeded. */
export function recordOutcome(
  db: Database,
  orgKey: number,
  slice: Slice,
  outcome: SliceOutcome,
): Promise<void> {
  return recordOutcomes(db, orgKey, [{ slice, outcome }]);
}

/** Records readings that succeeded. */
export async function recordOutcomes(
  db: Database,
  orgKey: number,
  outcomes: readonly { readonly slice: Slice; readonly outcome: SliceOutcome }[],
): Promise<void> {
  const now = sql<Date>`now()`;
  const values = outcomes.map(({ slice, outcome }) => ({
    ...identity(orgKey, slice),
    status: outcome.status,
    content_hash: outcome.contentHash,
    source_hash: outcome.sourceHash,
    row_count: outcome.rowCount,
    table_rows: JSON.stringify(outcome.tableRows),
    rejected_count: outcome.rejectedCount,
    run_id: outcome.runId,
    fetched_at: now,
    loaded_at: outcome.changed ? now : null,
    attempts: 1,
    error: null,
  }));
  await db
    .insertInto('etl.slice')
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(['org_key', 'endpoint', 'slice_key']).doUpdateSet((eb) => ({
        status: eb.ref('excluded.status'),
        content_hash: eb.ref('excluded.content_hash'),
        source_hash: eb.ref('excluded.source_hash'),
        row_count: eb.ref('excluded.row_count'),
        table_rows: eb.ref('excluded.table_rows'),
        rejected_count: eb.ref('excluded.rejected_count'),
        run_id: eb.ref('excluded.run_id'),
        fetched_at: eb.ref('excluded.fetched_at'),
        loaded_at: sql<Date | null>`coalesce(excluded.loaded_at, slice.loaded_at)`,
        attempts: sql<number>`slice.attempts + 1`,
        error: null,
      })),
    )
    .execute();
}

/** What is recorded of slices that were read again and are as they were. */
export interface Unchanged {
  readonly runId: string;
  /** Given where other answers said the same. */
  readonly sourceHash?: Buffer | null;
  /** Given to record only slices of which these tables hold as many rows as the ledger says. */
  readonly holding?: readonly TableDefinition[];
}

/**
 * Records that slices of one source were read again and are as they were; writes these rows and nothing else. Returns
 * the keys of those that were recorded. A prepared statement: in most runs it is what most slices end with.
 */
export async function recordUnchanged(
  { client }: Session,
  orgKey: number,
  slices: readonly Slice[],
  { runId, sourceHash, holding = [] }: Unchanged,
): Promise<Set<string>> {
  const [first] = slices;
  if (first === undefined) return new Set();
  const { endpoint, scope } = first;
  const conditions = holding.map((table) => ` and ${holdsRecordedRows(table, Object.keys(scope))}`);
  const keys = slices.map(({ key }) => key);
  const hashed = sourceHash !== undefined;
  const { rows } = await client.query<{ slice_key: string }>({
    name: `unchanged ${endpoint}${holding.length > 0 ? ' holding' : ''}${hashed ? ' hashed' : ''}`,
    text: `
      update etl.slice as slice
      set status = 'loaded', run_id = $1, fetched_at = now(), attempts = attempts + 1, error = null
        ${hashed ? ', source_hash = $5' : ''}
      where org_key = $2 and endpoint = $3 and slice_key = any($4) ${conditions.join('')}
      returning slice_key`,
    values: [runId, orgKey, endpoint, keys, ...(hashed ? [sourceHash] : [])],
  });
  return new Set(rows.map(({ slice_key }) => slice_key));
}

/** Records that a reading failed. What was loaded before stays, and so does what the ledger says of it. */
export async function recordFailure(
  db: Database,
  orgKey: number,
  slice: Slice,
  failure: { readonly runId: string; readonly error: string; readonly rejectedCount: number },
): Promise<void> {
  const values = {
    status: 'failed',
    run_id: failure.runId,
    // The platform's own words may be part of it, and they hold anything.
    error: storableText(failure.error),
    rejected_count: failure.rejectedCount,
  };
  await db
    .insertInto('etl.slice')
    .values({ ...identity(orgKey, slice), ...values, attempts: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['org_key', 'endpoint', 'slice_key'])
        .doUpdateSet({ ...values, attempts: sql<number>`slice.attempts + 1` }),
    )
    .execute();
}

function identity(orgKey: number, slice: Slice) {
  return { org_key: orgKey, endpoint: slice.endpoint, slice_key: slice.key, usage_date: slice.usageDate };
}
