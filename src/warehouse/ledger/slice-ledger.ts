/** The slice ledger: for each slice the rows that the warehouse holds, and the result of its last reading. */
import { sql } from 'kysely';
import type { Day } from '../../model/day.ts';
import type { Database } from '../connection/connection.ts';

/** States of a slice; see the comment on `etl.slice.status`. */
export type SliceStatus = 'loaded' | 'empty' | 'pending' | 'failed';

/** The entry of a slice. */
export interface LedgerEntry extends SliceName {
  readonly usageDate: Day | null;
  readonly status: SliceStatus;
  readonly sourceHash: Buffer | null;
  /** Stored rows, by table. Another version of the program may have written the entry, so the tables may differ. */
  readonly tableRows: Readonly<Record<string, number>>;
  /** Whether the slice is held and its last reading failed or was refused. */
  readonly lastFailed: boolean;
  /**
   * Set if an answer was refused and no later reading succeeded. `last`: the last reading was the refused one; `before`:
   * a later one failed otherwise.
   */
  readonly refused: 'last' | 'before' | undefined;
  /** The size of its archive; undefined if nothing is archived. */
  readonly archived: ArchivedSize | undefined;
}

/** The name of a slice in the ledger. */
export interface SliceName {
  readonly endpoint: string;
  readonly key: string;
}

/** The size of a slice's archive. */
export interface ArchivedSize {
  readonly chunks: number;
  /** Number of records in the chunks. */
  readonly rows: number;
}

/** The entries of an organization, by `ledgerKey`. */
export type Ledger = ReadonlyMap<string, LedgerEntry>;

/** The key of an entry in a `Ledger`. */
export function ledgerKey(endpoint: string, key: string): string {
  return `${endpoint} ${key}`;
}

/** Reads the whole ledger of an organization, or the entry of one slice. */
export async function readLedger(db: Database, orgKey: number, only?: SliceName): Promise<Ledger> {
  const ofOrganization = db
    .selectFrom('etl.slice')
    .select(['endpoint', 'slice_key', 'usage_date', 'status', 'source_hash', 'table_rows'])
    .select(['last_failed_at', 'raw_chunks', 'raw_rows'])
    .select(
      sql<'last' | 'before' | null>`case
      when refused_at is null then null
      when refused_at = last_failed_at then 'last'
      else 'before'
    end`.as('refused'),
    )
    .where('org_key', '=', orgKey);
  const rows = await (only === undefined
    ? ofOrganization
    : ofOrganization.where('endpoint', '=', only.endpoint).where('slice_key', '=', only.key)
  ).execute();
  return new Map(
    rows.map((row) => [
      ledgerKey(row.endpoint, row.slice_key),
      {
        endpoint: row.endpoint,
        key: row.slice_key,
        usageDate: row.usage_date as Day | null,
        status: row.status as SliceStatus,
        sourceHash: row.source_hash,
        tableRows: countsIn(row.table_rows),
        lastFailed: row.last_failed_at !== null,
        refused: row.refused ?? undefined,
        archived:
          row.raw_chunks === null ? undefined : { chunks: row.raw_chunks, rows: Number(row.raw_rows ?? 0) },
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
